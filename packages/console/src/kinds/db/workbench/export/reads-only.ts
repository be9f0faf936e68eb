/** Whether a statement can be run once more for a file without anything happening twice. */
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';

const READS = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW']);
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'INTO']);

export function readsOnly(sql: string, quoting: Quoting): boolean {
  let first: string | undefined;
  for (const { what, from, to } of tokens(sql, quoting)) {
    if (what !== 'word') continue;
    const word = sql.slice(from, to).toUpperCase();
    first ??= word;
    if (WRITES.has(word)) return false;
  }
  return first !== undefined && READS.has(first);
}
