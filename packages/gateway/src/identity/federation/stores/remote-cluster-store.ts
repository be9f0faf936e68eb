/** Leaves that joined this cluster, in the store. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../../../platform/change-feed/publish.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';

export const LEAF_TOPIC = 'remote-cluster';

export interface StoredLeaf {
  /** Of the cluster, from its first start on. */
  id: string;
  name: string;
  key: string;
  next: string | undefined;
  labels: Readonly<Record<string, string>>;
  version: string;
  /** Traits of people that it asked for. */
  wants: readonly string[];
  created: number;
  createdBy: string;
  lastSeen: number | undefined;
  /** That it ended the trust from its side. */
  left: { at: number; why: string } | undefined;
}

const storedLabels = z.record(z.string(), z.string());
const storedWants = z.array(z.string());

export async function listLeaves(db: Db): Promise<StoredLeaf[]> {
  return (await db.selectFrom('remote_cluster').selectAll().orderBy('name').execute()).map(toLeaf);
}

export async function findLeaf(db: Db, by: { id: string } | { name: string }): Promise<StoredLeaf | undefined> {
  const query = db.selectFrom('remote_cluster').selectAll();
  const row = await ('id' in by ? query.where('id', '=', by.id) : query.where('name', '=', by.name)).executeTakeFirst();
  return row && toLeaf(row);
}

/** Another leaf that tunnels would be taken for: one that has, or has announced, one of these keys. */
export async function findKeyHolder(
  db: Db,
  { id, keys }: { id: string; keys: readonly string[] },
): Promise<StoredLeaf | undefined> {
  const row = await db
    .selectFrom('remote_cluster')
    .selectAll()
    .where('id', '!=', id)
    .where((builder) => builder.or([builder('key', 'in', keys), builder('next', 'in', keys)]))
    .executeTakeFirst();
  return row && toLeaf(row);
}

/** The row of a new leaf, or of one that joins again by the same key: its labels stay. */
export async function putLeaf(
  tx: Tx,
  leaf: Pick<StoredLeaf, 'id' | 'name' | 'key' | 'next' | 'version' | 'created' | 'createdBy'>,
): Promise<void> {
  const again = { name: leaf.name, key: leaf.key, next: leaf.next ?? null, version: leaf.version };
  await tx
    .insertInto('remote_cluster')
    .values({
      id: leaf.id,
      ...again,
      labels: writeJson({}),
      wants: writeJson([]),
      created: leaf.created,
      created_by: leaf.createdBy,
      last_seen: null,
      left_at: null,
      left_why: null,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(again))
    .execute();
  await publish(tx, { topic: LEAF_TOPIC, id: leaf.id });
}

type LeafChange = Partial<Pick<StoredLeaf, 'labels' | 'key' | 'next' | 'wants' | 'version' | 'lastSeen' | 'left'>>;

/** What is left out stays, but for `next` and `left`, which may be given as none. */
export async function updateLeaf(tx: Tx, id: string, change: LeafChange): Promise<void> {
  await tx
    .updateTable('remote_cluster')
    .set({
      ...(change.labels ? { labels: writeJson(change.labels) } : {}),
      ...(change.key === undefined ? {} : { key: change.key }),
      ...('next' in change ? { next: change.next ?? null } : {}),
      ...(change.wants ? { wants: writeJson(change.wants) } : {}),
      ...(change.version === undefined ? {} : { version: change.version }),
      ...(change.lastSeen === undefined ? {} : { last_seen: change.lastSeen }),
      ...('left' in change ? { left_at: change.left?.at ?? null, left_why: change.left?.why ?? null } : {}),
    })
    .where('id', '=', id)
    .execute();
  const { version: _, lastSeen: __, ...counts } = change;
  // That it is still there is written every minute, for each of hundreds: nobody decides anything by it.
  if (Object.keys(counts).length > 0) await publish(tx, { topic: LEAF_TOPIC, id });
}

export async function deleteLeaf(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('remote_cluster').where('id', '=', id).execute();
  await publish(tx, { topic: LEAF_TOPIC, id });
}

function toLeaf(row: Selectable<Tables['remote_cluster']>): StoredLeaf {
  return {
    id: row.id,
    name: row.name,
    key: row.key,
    next: row.next ?? undefined,
    labels: storedLabels.parse(readJson(row.labels)),
    version: row.version,
    wants: storedWants.parse(readJson(row.wants)),
    created: row.created,
    createdBy: row.created_by,
    lastSeen: row.last_seen ?? undefined,
    left: row.left_at === null ? undefined : { at: row.left_at, why: row.left_why ?? '' },
  };
}
