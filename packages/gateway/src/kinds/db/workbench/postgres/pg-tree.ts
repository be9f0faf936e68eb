/** What a PostgreSQL database has in it, level by level, as its user sees it. */
import type { LevelQuestion, TreeQuestions } from '../thread/tree-level.ts';

const SCHEMAS: LevelQuestion = {
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
const IN_GROUP: Readonly<Record<string, LevelQuestion>> = {
  Tables: { kind: 'table', isLeaf: false, sql: RELATIONS("'r', 'p', 'f'") },
  Views: { kind: 'view', isLeaf: false, sql: RELATIONS("'v', 'm'") },
  Functions: {
    kind: 'function',
    isLeaf: true,
    sql: `SELECT * FROM (SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS name, coalesce(pg_get_function_result(p.oid), 'procedure'), NULL, NULL
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $2) f WHERE name > $1 ORDER BY name`,
  },
  Sequences: { kind: 'sequence', isLeaf: true, sql: RELATIONS("'S'") },
};
/** One after the other in the order of `attnum`, which is the first part of the name that `after` names. */
const COLUMNS: LevelQuestion = {
  kind: 'column',
  isLeaf: true,
  sql: `SELECT a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, NULL,
      EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnum > coalesce((SELECT b.attnum FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attname = $1), 0)
      AND NOT a.attisdropped AND n.nspname = $2 AND c.relname = $3 ORDER BY a.attnum`,
};
const FURTHER: Readonly<Record<string, LevelQuestion>> = {
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

export const PG_TREE: TreeQuestions = { schemas: SCHEMAS, inGroup: IN_GROUP, columns: COLUMNS, further: FURTHER };

/** Schema, table and column, of what the user may read. */
export const PG_NAMES = `SELECT n.nspname, c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname !~ '^pg_(toast|temp)'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname IN ('pg_catalog', 'information_schema'), n.nspname, c.relname, a.attnum LIMIT $1::int`;
