/** What a database of SQL Server has in it, level by level, as its user sees it. */
import type { LevelQuestion, TreeQuestions } from '../thread/tree-level.ts';

const IN_SCHEMA = 'JOIN sys.schemas s ON s.schema_id = o.schema_id';
const SCHEMAS: LevelQuestion = {
  kind: 'schema',
  isLeaf: false,
  // Those of its fixed roles have nothing in them.
  sql: `SELECT name, N'', NULL, NULL FROM sys.schemas WHERE (schema_id < 16384 OR schema_id > 16399) AND name > ? ORDER BY name`,
};
const IN_GROUP: Readonly<Record<string, LevelQuestion>> = {
  Tables: {
    kind: 'table',
    isLeaf: false,
    sql: `SELECT o.name, N'', (SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = o.object_id AND p.index_id IN (0, 1)), NULL
      FROM sys.tables o ${IN_SCHEMA} WHERE o.name > ? AND s.name = ? ORDER BY o.name`,
  },
  Views: {
    kind: 'view',
    isLeaf: false,
    sql: `SELECT o.name, N'', NULL, NULL FROM sys.all_views o ${IN_SCHEMA} WHERE o.name > ? AND s.name = ? ORDER BY o.name`,
  },
  Functions: {
    kind: 'function',
    isLeaf: true,
    sql: `SELECT o.name, LOWER(REPLACE(o.type_desc, N'_', N' ')), NULL, NULL FROM sys.objects o ${IN_SCHEMA}
      WHERE o.type IN ('P', 'PC', 'FN', 'IF', 'TF', 'FS', 'FT', 'AF') AND o.name > ? AND s.name = ? ORDER BY o.name`,
  },
  Sequences: {
    kind: 'sequence',
    isLeaf: true,
    sql: `SELECT o.name, N'', NULL, NULL FROM sys.sequences o ${IN_SCHEMA} WHERE o.name > ? AND s.name = ? ORDER BY o.name`,
  },
};
/** In the order that they have in the table. */
const COLUMNS: LevelQuestion = {
  kind: 'column',
  isLeaf: true,
  sql: `SELECT c.name, t.name + CASE
        WHEN t.name IN (N'varchar', N'char', N'varbinary', N'binary') THEN N'(' + CASE c.max_length WHEN -1 THEN N'max' ELSE CAST(c.max_length AS nvarchar(9)) END + N')'
        WHEN t.name IN (N'nvarchar', N'nchar') THEN N'(' + CASE c.max_length WHEN -1 THEN N'max' ELSE CAST(c.max_length / 2 AS nvarchar(9)) END + N')'
        WHEN t.name IN (N'decimal', N'numeric') THEN N'(' + CAST(c.precision AS nvarchar(9)) + N',' + CAST(c.scale AS nvarchar(9)) + N')'
        ELSE N'' END + CASE c.is_nullable WHEN 0 THEN N' not null' ELSE N'' END,
      NULL, CASE WHEN EXISTS (SELECT 1 FROM sys.index_columns k JOIN sys.indexes i ON i.object_id = k.object_id AND i.index_id = k.index_id
        WHERE i.is_primary_key = 1 AND k.object_id = c.object_id AND k.column_id = c.column_id) THEN 1 ELSE 0 END
    FROM (SELECT CAST(? AS sysname) AS name) b, sys.all_columns c JOIN sys.types t ON t.user_type_id = c.user_type_id
      JOIN sys.all_objects o ON o.object_id = c.object_id ${IN_SCHEMA}
    WHERE s.name = ? AND o.name = ? AND c.column_id > COALESCE((SELECT l.column_id FROM sys.all_columns l WHERE l.object_id = c.object_id AND l.name = b.name), 0)
    ORDER BY c.column_id`,
};
/** Names between commas, in the order of the key. */
const LIST = (from: string) =>
  `STUFF((SELECT N', ' + c.name FROM ${from} ORDER BY k.key_ordinal FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), 1, 2, N'')`;
const KEYED = `sys.index_columns k JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
      WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND k.is_included_column = 0`;
const FURTHER: Readonly<Record<string, LevelQuestion>> = {
  Keys: {
    kind: 'key',
    isLeaf: true,
    sql: `SELECT n.name, n.detail, NULL, NULL FROM (
        SELECT i.name, i.object_id, CASE i.is_primary_key WHEN 1 THEN N'PRIMARY KEY (' ELSE N'UNIQUE (' END + ${LIST(KEYED)} + N')' AS detail
          FROM sys.indexes i WHERE i.is_primary_key = 1 OR i.is_unique_constraint = 1
        UNION ALL
        SELECT f.name, f.parent_object_id, N'FOREIGN KEY to ' + OBJECT_SCHEMA_NAME(f.referenced_object_id) + N'.' + OBJECT_NAME(f.referenced_object_id) FROM sys.foreign_keys f
      ) n JOIN sys.objects o ON o.object_id = n.object_id ${IN_SCHEMA}
      WHERE n.name > ? AND s.name = ? AND o.name = ? ORDER BY n.name`,
  },
  Indexes: {
    kind: 'index',
    isLeaf: true,
    sql: `SELECT i.name, CASE i.is_unique WHEN 1 THEN N'unique ' ELSE N'' END + LOWER(i.type_desc COLLATE DATABASE_DEFAULT) + N' (' + COALESCE(${LIST(KEYED)}, N'') + N')', NULL, NULL
      FROM sys.indexes i JOIN sys.objects o ON o.object_id = i.object_id ${IN_SCHEMA}
      WHERE i.name > ? AND s.name = ? AND o.name = ? ORDER BY i.name`,
  },
  Triggers: {
    kind: 'trigger',
    isLeaf: true,
    sql: `SELECT t.name, CASE t.is_disabled WHEN 1 THEN N'disabled' ELSE N'' END, NULL, NULL
      FROM sys.triggers t JOIN sys.objects o ON o.object_id = t.parent_id ${IN_SCHEMA}
      WHERE t.name > ? AND s.name = ? AND o.name = ? ORDER BY t.name`,
  },
};

/** Each of them is sorted: only then is there a first so many. */
const limited = (sql: string, most: number) => `${sql} OFFSET 0 ROWS FETCH NEXT ${most} ROWS ONLY`;

export const SQLSERVER_TREE: TreeQuestions = {
  ...{ schemas: SCHEMAS, inGroup: IN_GROUP, columns: COLUMNS, further: FURTHER, limited },
};

/** Schema, table and column; the server's own are left out. */
export const sqlserverNames = (most: number) =>
  limited(
    `SELECT s.name, o.name, c.name FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id ${IN_SCHEMA}
      WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 ORDER BY s.name, o.name, c.column_id`,
    most,
  );
