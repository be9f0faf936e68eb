/** What a MySQL or MariaDB server has in it, level by level, as its user sees it. */
import type { LevelQuestion, TreeQuestions } from '../thread/tree-level.ts';

const TABLES = (types: string) => `SELECT TABLE_NAME, TABLE_COMMENT, TABLE_ROWS, NULL FROM information_schema.TABLES
  WHERE TABLE_TYPE IN (${types}) AND TABLE_NAME > ? AND TABLE_SCHEMA = ? ORDER BY TABLE_NAME`;

const SCHEMAS: LevelQuestion = {
  kind: 'schema',
  isLeaf: false,
  sql: 'SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, NULL, NULL FROM information_schema.SCHEMATA WHERE SCHEMA_NAME > ? ORDER BY SCHEMA_NAME',
};
const IN_GROUP: Readonly<Record<string, LevelQuestion>> = {
  Tables: { kind: 'table', isLeaf: false, sql: TABLES("'BASE TABLE', 'SYSTEM VERSIONED'") },
  Views: {
    kind: 'view',
    isLeaf: false,
    sql: `SELECT TABLE_NAME, '', NULL, NULL FROM information_schema.TABLES
      WHERE TABLE_TYPE IN ('VIEW', 'SYSTEM VIEW') AND TABLE_NAME > ? AND TABLE_SCHEMA = ? ORDER BY TABLE_NAME`,
  },
  Functions: {
    kind: 'function',
    isLeaf: true,
    sql: `SELECT ROUTINE_NAME, IF(ROUTINE_TYPE = 'FUNCTION', DTD_IDENTIFIER, LOWER(ROUTINE_TYPE)), NULL, NULL FROM information_schema.ROUTINES
      WHERE ROUTINE_NAME > ? AND ROUTINE_SCHEMA = ? ORDER BY ROUTINE_NAME`,
  },
  Sequences: { kind: 'sequence', isLeaf: true, sql: TABLES("'SEQUENCE'") },
};
/** In the order that they have in the table. */
const COLUMNS: LevelQuestion = {
  kind: 'column',
  isLeaf: true,
  sql: `SELECT c.COLUMN_NAME, CONCAT(c.COLUMN_TYPE, IF(c.IS_NULLABLE = 'NO', ' not null', '')), NULL, IF(c.COLUMN_KEY = 'PRI', 1, 0)
    FROM information_schema.COLUMNS c LEFT JOIN information_schema.COLUMNS b
      ON b.COLUMN_NAME = ? AND b.TABLE_SCHEMA = c.TABLE_SCHEMA AND b.TABLE_NAME = c.TABLE_NAME
    WHERE c.TABLE_SCHEMA = ? AND c.TABLE_NAME = ? AND c.ORDINAL_POSITION > COALESCE(b.ORDINAL_POSITION, 0) ORDER BY c.ORDINAL_POSITION`,
};
const FURTHER: Readonly<Record<string, LevelQuestion>> = {
  Keys: {
    kind: 'key',
    isLeaf: true,
    sql: `SELECT t.CONSTRAINT_NAME, CONCAT(t.CONSTRAINT_TYPE, COALESCE(CONCAT(' (', GROUP_CONCAT(k.COLUMN_NAME ORDER BY k.ORDINAL_POSITION SEPARATOR ', '), ')'), ''),
        COALESCE(CONCAT(' to ', MAX(k.REFERENCED_TABLE_NAME)), '')), NULL, NULL
      FROM information_schema.TABLE_CONSTRAINTS t LEFT JOIN information_schema.KEY_COLUMN_USAGE k
        ON k.CONSTRAINT_NAME = t.CONSTRAINT_NAME AND k.TABLE_SCHEMA = t.TABLE_SCHEMA AND k.TABLE_NAME = t.TABLE_NAME
      WHERE t.CONSTRAINT_NAME > ? AND t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ? GROUP BY t.CONSTRAINT_NAME, t.CONSTRAINT_TYPE ORDER BY t.CONSTRAINT_NAME`,
  },
  Indexes: {
    kind: 'index',
    isLeaf: true,
    sql: `SELECT INDEX_NAME, CONCAT(IF(MAX(NON_UNIQUE) = 0, 'unique ', ''), LOWER(MAX(INDEX_TYPE)), ' (', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', '), ')'), NULL, NULL
      FROM information_schema.STATISTICS WHERE INDEX_NAME > ? AND TABLE_SCHEMA = ? AND TABLE_NAME = ? GROUP BY INDEX_NAME ORDER BY INDEX_NAME`,
  },
  Triggers: {
    kind: 'trigger',
    isLeaf: true,
    sql: `SELECT TRIGGER_NAME, LOWER(CONCAT(ACTION_TIMING, ' ', EVENT_MANIPULATION)), NULL, NULL
      FROM information_schema.TRIGGERS WHERE TRIGGER_NAME > ? AND EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY TRIGGER_NAME`,
  },
};

export const MYSQL_TREE: TreeQuestions = { schemas: SCHEMAS, inGroup: IN_GROUP, columns: COLUMNS, further: FURTHER };

/** Schema, table and column; the server's own come last. */
export const MYSQL_NAMES = `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS
  ORDER BY TABLE_SCHEMA IN ('mysql', 'sys', 'information_schema', 'performance_schema'), TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION LIMIT `;
