/** Which rows of a result of SQL Server are rows of one table, and how they are changed. */
import type { RowChange, TableName } from '@gatehouse/contract/kinds/db/editor';
import { firstWord } from '../../first-word.ts';
import type { BoundStatement, Source } from '../thread/dialect.ts';
import { ask, type Column, type SqlClient } from '../thread/sql-client.ts';
import { quotedName, quotedValue, SQLSERVER_WORDS } from './sqlserver-text.ts';

/** The server says it of a statement, and not with its result. What it finds in another database is none of this one. */
const DESCRIBED = `SELECT source_schema, source_table, source_column, is_hidden
    FROM sys.dm_exec_describe_first_result_set(?, NULL, 1)
    WHERE source_server IS NULL AND source_database = DB_NAME() ORDER BY column_ordinal`;
const KEY = `SELECT c.name FROM sys.index_columns k JOIN sys.indexes i ON i.object_id = k.object_id AND i.index_id = k.index_id
      JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
    WHERE i.is_primary_key = 1 AND k.object_id = OBJECT_ID(?, N'U') ORDER BY k.key_ordinal`;
const TYPES = `SELECT c.name, t.name, c.precision, c.scale FROM sys.columns c LEFT JOIN sys.types t ON t.user_type_id = c.system_type_id
    WHERE c.object_id = OBJECT_ID(?, N'U')`;

const wholeName = ({ schema, table }: TableName) => `${quotedName(schema)}.${quotedName(table)}`;

/** All columns of one table, none of them twice, and its whole primary key among them. */
export async function sourceOf(
  side: SqlClient,
  columns: readonly Column[],
  statement: string,
): Promise<Source | undefined> {
  if (!['SELECT', 'WITH'].includes(firstWord(statement, SQLSERVER_WORDS) ?? '')) return undefined;
  const all = await ask(side, DESCRIBED, [statement]);
  const rows = all.filter(([, , , isHidden]) => isHidden === '0');
  const [schema, table] = rows[0] ?? [];
  if (!schema || !table || rows.length !== columns.length) return undefined;
  if (!rows.every((row) => row[0] === schema && row[1] === table)) return undefined;
  const shown = rows.map((row) => row[2] ?? '');
  if (shown.includes('') || new Set(shown).size < shown.length) return undefined;
  const key = (await ask(side, KEY, [wholeName({ schema, table })])).flatMap(([name]) => (name ? [name] : []));
  // What it would add to find rows by: of a table that is joined with itself, the other one's key.
  const added = all.filter((row) => !rows.includes(row)).map(([, , name]) => name ?? '');
  if (key.length === 0 || !key.every((name) => shown.includes(name) && !added.includes(name))) return undefined;
  return { schema, table, columns: shown, key };
}

interface ColumnType {
  name: string;
  precision: string;
  scale: string;
}

export async function changes(
  side: SqlClient,
  table: TableName,
): Promise<(table: TableName, change: RowChange) => BoundStatement> {
  const rows = await ask(side, TYPES, [wholeName(table)]);
  const types = new Map(
    rows.map(([column, name, precision, scale]) => [
      column ?? '',
      { name: name ?? '', precision: precision ?? '', scale: scale ?? '' },
    ]),
  );
  return (named, change) => ({ sql: changeOf(types, named, change), values: [] });
}

const BYTES = new Set(['binary', 'varbinary', 'image', 'timestamp']);
const SCALED = new Set(['time', 'datetime2', 'datetimeoffset']);
const DATES = new Set(['date', 'datetime', 'smalldatetime', ...SCALED]);
const DECIMALS = new Set(['decimal', 'numeric']);
const NUMBERS = new Set('bigint int smallint tinyint bit float real money smallmoney'.split(' '));
/** ODBC's way to write dates: no setting of a session reads it otherwise. */
const DATE_STYLE = 121;
const NO_TYPE: ColumnType = { name: '', precision: '', scale: '' };

/** A value in its column's own type, where it would be read in some other way without. */
function typed(value: string, { name, precision, scale }: ColumnType): string | undefined {
  const text = quotedValue(value);
  if (BYTES.has(name)) return `CONVERT(varbinary(max), ${text}, 1)`;
  if (SCALED.has(name)) return `CONVERT(${name}(${Number(scale)}), ${text}, ${DATE_STYLE})`;
  if (DATES.has(name)) return `CONVERT(${name}, ${text}, ${DATE_STYLE})`;
  if (DECIMALS.has(name)) return `CONVERT(${name}(${Number(precision)}, ${Number(scale)}), ${text})`;
  return NUMBERS.has(name) ? `CONVERT(${name}, ${text})` : undefined;
}

function changeOf(types: ReadonlyMap<string, ColumnType>, table: TableName, asked: RowChange): string {
  const where = wholeName(table);
  const typeOf = (name: string) => types.get(name) ?? NO_TYPE;
  const written = (name: string, value: string | null) =>
    (value === null ? undefined : typed(value, typeOf(name))) ?? quotedValue(value);
  /** As it was shown, and not what a collation takes for the same: neither other capitals nor blanks behind it. */
  const isAs = (name: string, value: string | null) => {
    const column = quotedName(name);
    if (value === null) return `${column} IS NULL`;
    const type = typeOf(name);
    const own = typed(value, type);
    if (BYTES.has(type.name)) return `CONVERT(varbinary(max), ${column}) = ${own}`;
    if (own !== undefined) return `${column} = ${own}`;
    return `CONVERT(varbinary(max), CONVERT(nvarchar(max), ${column})) = CONVERT(varbinary(max), CONVERT(nvarchar(max), ${quotedValue(value)}))`;
  };
  if (asked.what === 'insert') {
    const fields = Object.entries(asked.values);
    if (fields.length === 0) return `INSERT INTO ${where} DEFAULT VALUES`;
    const names = fields.map(([name]) => quotedName(name)).join(', ');
    return `INSERT INTO ${where} (${names}) VALUES (${fields.map(([name, value]) => written(name, value)).join(', ')})`;
  }
  const conditions = [
    // By the key, which finds it; and by what it is.
    ...Object.entries(asked.key).map(([name, value]) => `${quotedName(name)} = ${written(name, value)}`),
    ...Object.entries({ ...asked.key, ...asked.old }).map(([name, value]) => isAs(name, value)),
  ].join(' AND ');
  if (asked.what === 'delete') return `DELETE FROM ${where} WHERE ${conditions}`;
  const sets = Object.entries(asked.values).map(([name, value]) => `${quotedName(name)} = ${written(name, value)}`);
  return `UPDATE ${where} SET ${sets.join(', ')} WHERE ${conditions}`;
}
