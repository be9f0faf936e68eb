/** Tables and their columns, for completion at the page. */
import type { Dialect } from './dialect.ts';
import type { Outlet } from './outlet.ts';
import type { SqlClient } from './sql-client.ts';

const MAX_NAMES = 20_000;

export async function tellNames(side: SqlClient, { names }: Dialect, outlet: Outlet): Promise<void> {
  const rows = await names(side, MAX_NAMES + 1);
  const tables = new Map<string, { schema: string; table: string; columns: string[] }>();
  for (const [schema, table, column] of rows.slice(0, MAX_NAMES)) {
    const key = `${schema}\0${table}`;
    const known = tables.get(key) ?? { schema: schema ?? '', table: table ?? '', columns: [] };
    known.columns.push(column ?? '');
    tables.set(key, known);
  }
  outlet.tell({ type: 'names', tables: [...tables.values()], isCut: rows.length > MAX_NAMES });
}
