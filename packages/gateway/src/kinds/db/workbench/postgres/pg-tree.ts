/** What a PostgreSQL database has in it, level by level, as its user sees it. */
import { NODES_AT_ONCE, type TreeNode } from '@gatehouse/contract/kinds/db/editor';
import type { Level } from '../thread/dialect.ts';
import { ask, type SqlClient } from '../thread/sql-client.ts';

const GROUPS = ['Tables', 'Views', 'Functions', 'Sequences'] as const;

interface Question {
  kind: TreeNode['kind'];
  isLeaf: boolean;
  /** Gives name, detail, rows, key; `$1` is behind which name, the rest of the path follows. */
  sql: string;
}

const SCHEMAS: Question = {
  kind: 'schema',
  isLeaf: false,
  sql: `SELECT nspname, CASE WHEN has_schema_privilege(oid, 'USAGE') THEN '' ELSE 'no access' END, NULL, NULL FROM pg_namespace
    WHERE nspname !~ '^pg_(toast|temp)' AND nspname > $1 ORDER BY nspname`,
};
const RELATIONS = (
  kinds: string,
) => `SELECT c.relname, CASE WHEN has_table_privilege(c.oid, 'SELECT') THEN coalesce(obj_description(c.oid, 'pg_class'), '') ELSE 'no access' END,
    CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END, NULL
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN (${kinds}) AND c.relname > $1 AND n.nspname = $2 ORDER BY c.relname`;
const IN_GROUP: Readonly<Record<string, Question>> = {
  Tables: { kind: 'table', isLeaf: false, sql: RELATIONS("'r', 'p', 'f'") },
  Views: { kind: 'view', isLeaf: false, sql: RELATIONS("'v', 'm'") },
  Sequences: { kind: 'sequence', isLeaf: true, sql: RELATIONS("'S'") },
  Functions: {
    kind: 'function',
    isLeaf: true,
    sql: `SELECT * FROM (SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS name, coalesce(pg_get_function_result(p.oid), 'procedure'), NULL, NULL
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $2) f WHERE name > $1 ORDER BY name`,
  },
};
/** One after the other in the order of `attnum`, which is the first part of the name that `after` names. */
const COLUMNS: Question = {
  kind: 'column',
  isLeaf: true,
  sql: `SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, NULL,
      EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnum > coalesce((SELECT b.attnum FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attname = $1), 0)
      AND NOT a.attisdropped AND n.nspname = $2 AND c.relname = $3 ORDER BY a.attnum`,
};
const FURTHER: Readonly<Record<string, Question>> = {
  Keys: {
    kind: 'key',
    isLeaf: true,
    sql: `SELECT k.conname, pg_get_constraintdef(k.oid), NULL, NULL FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE k.conname > $1 AND n.nspname = $2 AND c.relname = $3 ORDER BY k.conname`,
  },
  Indexes: {
    kind: 'index',
    isLeaf: true,
    sql: `SELECT i.relname, pg_get_indexdef(i.oid), NULL, NULL FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE i.relname > $1 AND n.nspname = $2 AND c.relname = $3 ORDER BY i.relname`,
  },
  Triggers: {
    kind: 'trigger',
    isLeaf: true,
    sql: `SELECT t.tgname, pg_get_triggerdef(t.oid), NULL, NULL FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT t.tgisinternal AND t.tgname > $1 AND n.nspname = $2 AND c.relname = $3 ORDER BY t.tgname`,
  },
};

export async function pgLevel(side: SqlClient, path: readonly string[], after: string | undefined): Promise<Level> {
  const [schema, group, table, part] = path;
  if (schema === undefined) return read(side, SCHEMAS, [after ?? '']);
  if (group === undefined) return { nodes: GROUPS.map(groupNode) };
  const question = IN_GROUP[group];
  if (!question) return { nodes: [] };
  if (table === undefined) return read(side, question, [after ?? '', schema]);
  if (part !== undefined) {
    const further = FURTHER[part];
    return further ? read(side, further, [after ?? '', schema, table]) : { nodes: [] };
  }
  const level = await read(side, COLUMNS, [after ?? '', schema, table]);
  return level.after === undefined ? { nodes: [...level.nodes, ...Object.keys(FURTHER).map(groupNode)] } : level;
}

/** Schema, table and column, of what the user may read. */
export const PG_NAMES = `SELECT n.nspname, c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname !~ '^pg_(toast|temp)'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname IN ('pg_catalog', 'information_schema'), n.nspname, c.relname, a.attnum LIMIT $1::int`;

function groupNode(name: string): TreeNode {
  return { name, kind: 'group', detail: '', isLeaf: false };
}

async function read(side: SqlClient, { sql, kind, isLeaf }: Question, values: readonly string[]): Promise<Level> {
  const rows = await ask(side, `${sql} LIMIT ${NODES_AT_ONCE + 1}`, values);
  const nodes = rows.slice(0, NODES_AT_ONCE).map(
    ([name, detail, count, isKey]): TreeNode => ({
      name: name ?? '',
      kind,
      detail: detail ?? '',
      ...(count === null || count === undefined ? {} : { rows: Number(count) }),
      ...(isKey === null || isKey === undefined ? {} : { isKey: isKey === 't' }),
      isLeaf,
    }),
  );
  const last = rows.length > NODES_AT_ONCE ? nodes.at(-1)?.name : undefined;
  return { nodes, ...(last === undefined ? {} : { after: last }) };
}
