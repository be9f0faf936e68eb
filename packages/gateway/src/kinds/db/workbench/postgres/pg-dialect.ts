/** PostgreSQL at the workbench. */
import type { RowChange, TableName } from '@gatehouse/contract/kinds/db/editor';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { firstWord } from '../../first-word.ts';
import type { BoundStatement, Dialect, Source } from '../thread/dialect.ts';
import { ask, type Column, type SqlClient } from '../thread/sql-client.ts';
import { treeLevel } from '../thread/tree-level.ts';
import { PgClient } from './pg-client.ts';
import { PG_NAMES, PG_TREE } from './pg-tree.ts';

const WORDS = { nested: true, hashes: false };
const READS = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN']);
/** They begin or end transactions, or are refused inside one. */
const UNDRIED = new Set([
  'BEGIN',
  'START',
  'COMMIT',
  'END',
  'ROLLBACK',
  'ABORT',
  'SAVEPOINT',
  'RELEASE',
  'PREPARE',
  'VACUUM',
  'CLUSTER',
  'CALL',
  'DISCARD',
]);

const QUOTING = { backslashes: false, isMysql: false };

export const PG_DIALECT: Dialect = {
  split: (text) => splitStatements(text, QUOTING),
  open: (connect, user) => PgClient.open(connect, user),
  // Once something was read, the server lets nobody make it one that writes.
  begin: 'START TRANSACTION',
  beginReadOnly: 'START TRANSACTION READ ONLY; SELECT 1',
  whyNotReadOnly(sql) {
    const word = firstWord(sql, WORDS);
    if (word !== undefined && READS.has(word)) return undefined;
    return `only reading is allowed here: ${[...READS].join(', ')}`;
  },
  async whyNotDry(sql) {
    const word = firstWord(sql, WORDS);
    return word === undefined || UNDRIED.has(word)
      ? 'this statement cannot be tried: it could not be taken back'
      : undefined;
  },
  explained: (_sql, analyze) => ({
    before: `EXPLAIN (FORMAT JSON${analyze ? ', ANALYZE, BUFFERS' : ''}) `,
    format: 'json',
    runs: analyze,
  }),
  typeNames,
  sourceOf,
  changes: async () => change,
  level: (side, path, after) => treeLevel(side, PG_TREE, path, after),
  names: (side, most) => ask(side, PG_NAMES, [String(most)]),
};

async function typeNames(side: SqlClient, columns: readonly Column[]): Promise<string[]> {
  const unknown = [
    ...new Set(columns.flatMap(({ type, typeId }) => (type === '' && typeId !== undefined ? [typeId] : []))),
  ];
  const rows = await ask(side, 'SELECT oid, format_type(oid, NULL) FROM pg_type WHERE oid = ANY ($1::oid[])', [
    `{${unknown.join(',')}}`,
  ]);
  const named = new Map(rows.map(([id, name]) => [Number(id), name ?? '']));
  return columns.map(({ type, typeId }) => type || (named.get(typeId ?? 0) ?? ''));
}

/** All columns of one table, and its whole primary key among them. */
async function sourceOf(side: SqlClient, columns: readonly Column[]): Promise<Source | undefined> {
  const table = columns[0]?.source?.table;
  if (table === undefined || !columns.every(({ source }) => source?.table === table)) return undefined;
  const rows = await ask(
    side,
    `SELECT n.nspname, c.relname, a.attnum, a.attname, a.attnum = ANY (i.indkey)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.oid = $1::oid AND c.relkind IN ('r', 'p') ORDER BY a.attnum`,
    [table],
  );
  const names = new Map(rows.map(([, , number, name]) => [number, name ?? '']));
  const shown = columns.map(({ source }) => names.get(source?.column ?? '') ?? '');
  const key = rows.flatMap(([, , , name, isKey]) => (isKey === 't' && name ? [name] : []));
  const [first] = rows;
  if (!first || key.length === 0 || !key.every((name) => shown.includes(name))) return undefined;
  return { schema: first[0] ?? '', table: first[1] ?? '', columns: shown, key };
}

/** Old values are compared as they were shown: some types know no equality. */
function change({ schema, table }: TableName, asked: RowChange): BoundStatement {
  const values: (string | null)[] = [];
  const next = (value: string | null) => `$${values.push(value)}`;
  const where = `${quoted(schema)}.${quoted(table)}`;
  if (asked.what === 'insert') {
    const fields = Object.entries(asked.values);
    if (fields.length === 0) return { sql: `INSERT INTO ${where} DEFAULT VALUES`, values };
    const names = fields.map(([name]) => quoted(name)).join(', ');
    return {
      sql: `INSERT INTO ${where} (${names}) VALUES (${fields.map(([, value]) => next(value)).join(', ')})`,
      values,
    };
  }
  const sets =
    asked.what === 'update'
      ? Object.entries(asked.values)
          .map(([name, value]) => `${quoted(name)} = ${next(value)}`)
          .join(', ')
      : '';
  const conditions = [
    ...Object.entries(asked.key).map(([name, value]) => `${quoted(name)} = ${next(value)}`),
    ...Object.entries(asked.old).map(
      ([name, value]) => `${quoted(name)}::text IS NOT DISTINCT FROM ${next(value)}::text`,
    ),
  ].join(' AND ');
  const begin = asked.what === 'update' ? `UPDATE ${where} SET ${sets}` : `DELETE FROM ${where}`;
  return { sql: `${begin} WHERE ${conditions}`, values };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
