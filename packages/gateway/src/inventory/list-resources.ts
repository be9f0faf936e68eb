/** Pages of the inventory. What the actor may not see is neither listed nor counted: access is part of the query. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { type Visibility, visibleCondition } from '../access/visibility.ts';
import { AppError } from '../std/app-error.ts';
import type { Db } from '../storage/tables.ts';
import { type Resource, toResource } from './resource-store.ts';

export interface ResourcePage {
  cluster: string;
  kind: Kind;
  limit: number;
  startKey?: string | undefined;
}

export interface ResourceList {
  items: Resource[];
  /** Names the first item of the next page; empty on the last. */
  startKey: string;
  totalCount: number;
}

/** Below this share of a page's worth of rows, sorting the few is cheaper than walking past the many. */
const FEW = 5_000;

const startKeyParts = z.tuple([z.string().max(1024), z.string().max(1024)]);

export async function listResources(db: Db, seen: Visibility, page: ResourcePage): Promise<ResourceList> {
  const from = page.startKey === undefined ? undefined : decodeStartKey(page.startKey);
  const totalCount = await countResources(db, seen, page);
  if (totalCount === 0) return { items: [], startKey: '', totalCount };
  const few = seen.type === 'some' && totalCount <= FEW;
  // The appended nothing hides the column from the planner's indexes.
  const name = few ? sql<string>`(resource.name || '')` : sql<string>`resource.name`;
  const rows = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', page.cluster)
    .where('kind', '=', page.kind)
    .where(visibleCondition(db, seen, few ? 'sets' : 'filter'))
    .$if(from !== undefined, (query) =>
      query.where(sql<SqlBool>`(resource.name, resource.id) >= (${from![0]}, ${from![1]})`),
    )
    .orderBy(name)
    .orderBy('resource.id')
    .limit(page.limit + 1)
    .execute();
  const next = rows[page.limit];
  return {
    items: rows.slice(0, page.limit).map((row) => toResource(row, page.kind)),
    startKey: next ? encodeStartKey([next.name, next.id]) : '',
    totalCount,
  };
}

export async function countResources(
  db: Db,
  seen: Visibility,
  { cluster, kind }: Pick<ResourcePage, 'cluster' | 'kind'>,
) {
  if (seen.type === 'none') return 0;
  const { total } = await db
    .selectFrom('resource')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(visibleCondition(db, seen, 'sets'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function encodeStartKey(parts: z.output<typeof startKeyParts>): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function decodeStartKey(text: string): z.output<typeof startKeyParts> {
  try {
    return startKeyParts.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch (cause) {
    throw new AppError('bad_request', 'the start key is not one that was given out', { cause });
  }
}
