/** One level of the tree, as a question to the server. */
import { NODES_AT_ONCE, type TreeNode } from '@gatehouse/contract/kinds/db/editor';
import type { Level } from './dialect.ts';
import { ask, type SqlClient } from './sql-client.ts';

export interface LevelQuestion {
  kind: TreeNode['kind'];
  isLeaf: boolean;
  /** Gives name, detail, rows, key; the first value is behind which name, the rest of the path follows. */
  sql: string;
}

export function groupNode(name: string): TreeNode {
  return { name, kind: 'group', detail: '', isLeaf: false };
}

export async function readLevel(
  side: SqlClient,
  { sql, kind, isLeaf }: LevelQuestion,
  values: readonly string[],
  limited: TreeQuestions['limited'] = (whole, most) => `${whole} LIMIT ${most}`,
): Promise<Level> {
  const rows = await ask(side, limited(sql, NODES_AT_ONCE + 1), values);
  const nodes = rows.slice(0, NODES_AT_ONCE).map(
    ([name, detail, count, isKey]): TreeNode => ({
      name: name ?? '',
      kind,
      detail: detail ?? '',
      ...(count === null || count === undefined ? {} : { rows: Number(count) }),
      ...(isKey === null || isKey === undefined ? {} : { isKey: isKey === 't' || isKey === '1' }),
      isLeaf,
    }),
  );
  const last = rows.length > NODES_AT_ONCE ? nodes.at(-1)?.name : undefined;
  return { nodes, ...(last === undefined ? {} : { after: last }) };
}

export interface TreeQuestions {
  schemas: LevelQuestion;
  /** By the name of the group. */
  inGroup: Readonly<Record<string, LevelQuestion>>;
  columns: LevelQuestion;
  /** Groups of a table, behind its columns. */
  further: Readonly<Record<string, LevelQuestion>>;
  /** The first so many of what a question gives; `LIMIT` unless told. */
  limited?: ((sql: string, most: number) => string) | undefined;
}

export async function treeLevel(
  side: SqlClient,
  { schemas, inGroup, columns, further, limited }: TreeQuestions,
  [schema, group, table, part]: readonly string[],
  after = '',
): Promise<Level> {
  if (schema === undefined) return readLevel(side, schemas, [after], limited);
  if (group === undefined) return { nodes: Object.keys(inGroup).map(groupNode) };
  const question = inGroup[group];
  if (!question) return { nodes: [] };
  if (table === undefined) return readLevel(side, question, [after, schema], limited);
  if (part !== undefined) {
    const asked = further[part];
    return asked ? readLevel(side, asked, [after, schema, table], limited) : { nodes: [] };
  }
  const level = await readLevel(side, columns, [after, schema, table], limited);
  return level.after === undefined ? { nodes: [...level.nodes, ...Object.keys(further).map(groupNode)] } : level;
}
