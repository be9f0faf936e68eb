/** Which databases are worked at here with SQL. Apart from their dialects, which nobody fetches for a list of databases. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';

export const SQL_PROTOCOLS = ['postgres', 'mysql', 'sqlserver'] as const satisfies readonly DbProtocol[];
export type SqlProtocol = (typeof SQL_PROTOCOLS)[number];

export function isSqlProtocol(protocol: string): protocol is SqlProtocol {
  return (SQL_PROTOCOLS as readonly string[]).includes(protocol);
}
