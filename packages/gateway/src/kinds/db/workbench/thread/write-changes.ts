/** Changes of rows, one after the other: each must touch the one row that it is about, as that was shown. */
import type { RowChange } from '@gatehouse/contract/kinds/db/editor';
import type { BoundStatement } from './dialect.ts';
import { ChangeError } from './jobs.ts';
import { type SqlClient, SqlError } from './sql-client.ts';

const SILENT = { columns() {}, row() {}, room: () => undefined, notice() {} };

/** Throws which of them did not do; the transaction around all of them is the caller's. */
export async function writeChanges(
  client: SqlClient,
  changes: readonly RowChange[],
  statementOf: (change: RowChange) => BoundStatement,
): Promise<void> {
  for (const [index, asked] of changes.entries()) {
    if (asked.what !== 'insert' && Object.keys(asked.key).length === 0)
      throw new ChangeError(index, new SqlError('bad_request', 'it names no row: the key is missing'));
    if (asked.what === 'update' && Object.keys(asked.values).length === 0)
      throw new ChangeError(index, new SqlError('bad_request', 'it changes nothing'));
    const { sql, values } = statementOf(asked);
    const end = await client.query(sql, SILENT, { values }).catch((error: unknown) => {
      throw error instanceof SqlError ? new ChangeError(index, error) : error;
    });
    if (end.rows === 1) continue;
    const why =
      end.rows === 0
        ? 'the row is not as it was shown: somebody has changed or removed it'
        : `it would touch ${end.rows} rows`;
    throw new ChangeError(index, new SqlError('conflict', why));
  }
}
