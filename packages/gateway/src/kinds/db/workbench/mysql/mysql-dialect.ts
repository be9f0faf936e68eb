/** MySQL and MariaDB at the workbench. */
import type { RowChange, TableName } from '@gatehouse/contract/kinds/db/editor';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { firstWord } from '../../first-word.ts';
import type { BoundStatement, Dialect, Source } from '../thread/dialect.ts';
import { ask, type Column, type SqlClient } from '../thread/sql-client.ts';
import { treeLevel } from '../thread/tree-level.ts';
import { MysqlClient } from './mysql-client.ts';
import { whyNotDry } from './mysql-dry.ts';
import { planOf } from './mysql-plan.ts';
import { MYSQL_WORDS, quotedBytes, quotedName, quotedValue } from './mysql-text.ts';
import { MYSQL_NAMES, MYSQL_TREE } from './mysql-tree.ts';

const READS = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC', 'USE']);
/** No transaction holds them back: they write files at the server. Looked for everywhere, as where a text ends depends on the session. */
const WRITES_FILES = /outfile|dumpfile/i;
const BINARY_TYPES = /^(?:tiny|medium|long)?blob$|^(?:var)?binary$/;
const SHAPES = new Set(['geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon']);

const QUOTING = { backslashes: true, isMysql: true };

export const MYSQL_DIALECT: Dialect = {
  split: (text) => splitStatements(text, QUOTING),
  open: (connect, user) => MysqlClient.open(connect, user),
  begin: 'START TRANSACTION',
  beginReadOnly: 'START TRANSACTION READ ONLY',
  whyNotReadOnly(sql) {
    const word = firstWord(sql, MYSQL_WORDS);
    if (word === undefined || !READS.has(word)) return `only reading is allowed here: ${[...READS].join(', ')}`;
    return WRITES_FILES.test(sql) ? 'only reading is allowed here: nothing may be written to files' : undefined;
  },
  whyNotDry,
  explained(_sql, analyze, version) {
    if (!analyze) return { before: 'EXPLAIN FORMAT=JSON ', format: 'json', read: planOf, runs: false };
    if (version.includes('MariaDB'))
      return { before: 'ANALYZE FORMAT=JSON ', format: 'json', read: planOf, runs: true };
    return { before: 'EXPLAIN ANALYZE ', format: 'text', runs: true };
  },
  // The server tells them with the result.
  typeNames: async (_side, columns) => columns.map(({ type }) => type),
  sourceOf,
  changes,
  level: (side, path, after) => treeLevel(side, MYSQL_TREE, path, after),
  names: (side, most) => ask(side, `${MYSQL_NAMES}${most}`),
};

/** All columns of one table, and its whole primary key among them. */
async function sourceOf(side: SqlClient, columns: readonly Column[]): Promise<Source | undefined> {
  const named = columns[0]?.source?.table;
  if (named === undefined || !columns.every(({ source }) => source?.table === named)) return undefined;
  const [schema = '', table = ''] = JSON.parse(named) as string[];
  const rows = await ask(
    side,
    `SELECT c.COLUMN_NAME FROM information_schema.COLUMNS c JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
      WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ? AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND c.COLUMN_KEY = 'PRI' ORDER BY c.ORDINAL_POSITION`,
    [schema, table],
  );
  const shown = columns.map(({ source }) => source?.column ?? '');
  const key = rows.flatMap(([name]) => (name ? [name] : []));
  if (key.length === 0 || !key.every((name) => shown.includes(name))) return undefined;
  return { schema, table, columns: shown, key };
}

/** Values are texts; those of bytes are written as they are shown. */
async function changes(
  side: SqlClient,
  { schema, table }: TableName,
): Promise<(table: TableName, change: RowChange) => BoundStatement> {
  const rows = await ask(
    side,
    'SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    [schema, table],
  );
  const types = new Map(rows.map(([name, type]) => [name ?? '', type ?? '']));
  return (named, change) => ({ sql: changeOf(types, named, change), values: [] });
}

function changeOf(types: ReadonlyMap<string, string>, { schema, table }: TableName, asked: RowChange): string {
  const where = `${quotedName(schema)}.${quotedName(table)}`;
  const isBytes = (name: string) => {
    const type = types.get(name) ?? '';
    return BINARY_TYPES.test(type) || SHAPES.has(type) || type === 'bit';
  };
  const written = (name: string, value: string | null) => {
    if (!isBytes(name)) return quotedValue(value);
    return types.get(name) === 'bit' && value !== null ? `${quotedBytes(value)} + 0` : quotedBytes(value);
  };
  // As it was shown, and not what a collation takes for the same.
  const isAs = (name: string, value: string | null) =>
    isBytes(name)
      ? `CAST(${quotedName(name)} AS BINARY) <=> ${quotedBytes(value)}`
      : `CAST(CAST(${quotedName(name)} AS CHAR CHARACTER SET utf8mb4) AS BINARY) <=> CAST(${quotedValue(value)} AS BINARY)`;
  if (asked.what === 'insert') {
    const fields = Object.entries(asked.values);
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
