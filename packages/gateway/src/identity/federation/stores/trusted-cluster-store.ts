/** Roots that are trusted here, in the store. */
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';

export const TRUST_TOPIC = 'trusted-cluster';

export interface StoredTrust {
  name: string;
  /** The document without its token. */
  content: string;
  revision: string;
  enabled: boolean;
  /** Where the root is dialled: an origin. */
  address: string;
  rootId: string;
  rootName: string;
  rootKey: string;
  rootNext: string | undefined;
  created: number;
  createdBy: string;
  /** Why nothing comes of dialling. */
  ended: string | undefined;
  endedAt: number | undefined;
  /** When one of the gateways here last had news with it. */
  heard: number | undefined;
}

export type NewTrust = Omit<StoredTrust, 'revision' | 'ended' | 'endedAt' | 'heard'>;

export async function listTrusts(db: Db): Promise<StoredTrust[]> {
  return (await db.selectFrom('trusted_cluster').selectAll().orderBy('name').execute()).map(toTrust);
}

export async function findTrust(db: Db, name: string): Promise<StoredTrust | undefined> {
  const row = await db.selectFrom('trusted_cluster').selectAll().where('name', '=', name).executeTakeFirst();
  return row && toTrust(row);
}

export async function findTrustOfRoot(db: Db, rootId: string): Promise<StoredTrust | undefined> {
  const row = await db.selectFrom('trusted_cluster').selectAll().where('root_id', '=', rootId).executeTakeFirst();
  return row && toTrust(row);
}

export async function insertTrust(tx: Tx, trust: NewTrust): Promise<StoredTrust> {
  const row = {
    name: trust.name,
    content: trust.content,
    revision: randomUUID(),
    enabled: trust.enabled ? 1 : 0,
    address: trust.address,
    root_id: trust.rootId,
    root_name: trust.rootName,
    root_key: trust.rootKey,
    root_next: trust.rootNext ?? null,
    created: trust.created,
    created_by: trust.createdBy,
    ended: null,
    ended_at: null,
    heard: null,
  };
  await tx.insertInto('trusted_cluster').values(row).execute();
  await keepName(tx, trust);
  await publish(tx, { topic: TRUST_TOPIC, id: trust.name });
  return toTrust(row);
}

/** Only while it is still the one that was read; undefined where it is not. */
export async function updateTrust(
  tx: Tx,
  { name, revision }: Pick<StoredTrust, 'name' | 'revision'>,
  { content, enabled }: Pick<StoredTrust, 'content' | 'enabled'>,
): Promise<StoredTrust | undefined> {
  const row = await tx
    .updateTable('trusted_cluster')
    .set({ content, enabled: enabled ? 1 : 0, revision: randomUUID() })
    .where('name', '=', name)
    .where('revision', '=', revision)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await publish(tx, { topic: TRUST_TOPIC, id: name });
  return toTrust(row);
}

/** What the root has announced, or begun to use. */
export async function setRootKeys(
  tx: Tx,
  name: string,
  { rootKey, rootNext }: Pick<StoredTrust, 'rootKey' | 'rootNext'>,
): Promise<void> {
  await tx
    .updateTable('trusted_cluster')
    .set({ root_key: rootKey, root_next: rootNext ?? null })
    .where('name', '=', name)
    .execute();
  await tx
    .updateTable('trust_name')
    .set({ root_key: rootKey, root_next: rootNext ?? null })
    .where('name', '=', name)
    .execute();
  await publish(tx, { topic: TRUST_TOPIC, id: name });
}

type NamedRoot = Pick<StoredTrust, 'name' | 'rootId' | 'rootKey'>;

/** The key of another root whose people were called so here; undefined where the name is free, or this root's own. */
export async function findNameHolder(db: Db, { name, rootId, rootKey }: NamedRoot): Promise<string | undefined> {
  const row = await db.selectFrom('trust_name').selectAll().where('name', '=', name).executeTakeFirst();
  // An id is no secret: only the key tells that it is the same root.
  const isSame = !row || (row.root_id === rootId && (row.root_key === rootKey || row.root_next === rootKey));
  return isSame ? undefined : row.root_key;
}

async function keepName(tx: Tx, { name, rootId, rootKey, rootNext }: NewTrust) {
  const values = { root_id: rootId, root_key: rootKey, root_next: rootNext ?? null };
  await tx
    .insertInto('trust_name')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute();
}

/** Nobody decides anything by it but those who would send its people out. */
export async function noteHeard(db: Db, name: string, heard: number): Promise<void> {
  await db.updateTable('trusted_cluster').set({ heard }).where('name', '=', name).execute();
}

export async function markTrustEnded(
  tx: Tx,
  name: string,
  { ended, now }: { ended: string | undefined; now: number },
): Promise<void> {
  await tx
    .updateTable('trusted_cluster')
    .set({ ended: ended ?? null, ended_at: ended === undefined ? null : now })
    .where('name', '=', name)
    .execute();
  await publish(tx, { topic: TRUST_TOPIC, id: name });
}

/** Its people go with it; their sign-ins must be ended before. */
export async function deleteTrust(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('remote_user').where('trust', '=', name).execute();
  await tx.deleteFrom('trusted_cluster').where('name', '=', name).execute();
  await publish(tx, { topic: TRUST_TOPIC, id: name });
}

function toTrust(row: Selectable<Tables['trusted_cluster']>): StoredTrust {
  return {
    name: row.name,
    content: row.content,
    revision: row.revision,
    enabled: row.enabled === 1,
    address: row.address,
    rootId: row.root_id,
    rootName: row.root_name,
    rootKey: row.root_key,
    rootNext: row.root_next ?? undefined,
    created: row.created,
    createdBy: row.created_by,
    ended: row.ended ?? undefined,
    endedAt: row.ended_at ?? undefined,
    heard: row.heard ?? undefined,
  };
}
