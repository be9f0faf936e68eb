/** How statements of a protocol are taken apart into words, texts and comments. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';

export function quotingOf(protocol: DbProtocol) {
  const isMysql = protocol === 'mysql';
  return { isMysql, backslashes: isMysql, isTsql: protocol === 'sqlserver' };
}
