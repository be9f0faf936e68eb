/** Until when what each agent announced counts. One narrow row per agent: heartbeats touch nothing else. */
import { holdLock } from '../platform/storage/named-lock.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import { publishResources } from './resource-changes.ts';
import { removeRoutesOf } from './resource-routes.ts';
import { removeExpired } from './resource-store.ts';

export interface Announcement {
  owner: string;
  /** The gateway that holds its connection. */
  holder: string;
  digest: string;
  expires: number;
}

/** Gateways on one store take turns: one would otherwise look for names that the other is writing, or wait for it in a ring. */
export async function holdAnnouncements(tx: Tx): Promise<void> {
  await holdLock(tx, 'announcements', 'alone');
}

export async function readAnnouncements(db: Db, owners: readonly string[]): Promise<Map<string, Announcement>> {
  const rows = await db
    .selectFrom('announcement')
    .selectAll()
    .where(sqlIn(db, 'announcement.owner', owners))
    .execute();
  return new Map(rows.map((row) => [row.owner, row]));
}

export async function writeAnnouncements(tx: Tx, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return;
  await tx
    .insertInto('announcement')
    .values([...announcements])
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet((builder) => ({
        holder: builder.ref('excluded.holder'),
        digest: builder.ref('excluded.digest'),
        expires: builder.ref('excluded.expires'),
      })),
    )
    .execute();
}

/** Gives back whose announcement is still there. */
export async function renewAnnouncements(
  tx: Tx,
  owners: readonly string[],
  { holder, expires }: Pick<Announcement, 'holder' | 'expires'>,
): Promise<Set<string>> {
  const rows = await tx
    .updateTable('announcement')
    .set({ holder, expires })
    .where(sqlIn(tx, 'announcement.owner', owners))
    .returning('owner')
    .execute();
  return new Set(rows.map(({ owner }) => owner));
}

/** Ends them sooner, unless the agents have told another gateway since. */
export async function shortenAnnouncements(
  tx: Tx,
  owners: readonly string[],
  { holder, expires }: Pick<Announcement, 'holder' | 'expires'>,
): Promise<void> {
  await tx
    .updateTable('announcement')
    .set({ expires })
    .where(sqlIn(tx, 'announcement.owner', owners))
    .where('holder', '=', holder)
    .where('expires', '>', expires)
    .execute();
}

interface Overdue {
  now: number;
  /** Only what was told to this gateway; of everybody without it. */
  holder?: string | undefined;
}

/** So many agents in one transaction: others write to the store too. */
const REMOVED_AT_ONCE = 500;

/** Removes what was not announced again in time. Gives back how many resources went; when nothing is due it only looks. */
export async function removeOverdue(db: Db, { now, holder }: Overdue): Promise<number> {
  const overdue = (from: Db) =>
    from
      .selectFrom('announcement')
      .select('owner')
      .where('expires', '<=', now)
      .$if(holder !== undefined, (query) => query.where('holder', '=', holder!))
      .limit(REMOVED_AT_ONCE);
  const { due } = await db
    .selectNoFrom((builder) =>
      builder
        .or([
          builder.exists(overdue(db)),
          builder.exists(builder.selectFrom('resource').select('owner').where('expires', '<=', now)),
        ])
        .as('due'),
    )
    .executeTakeFirstOrThrow();
  let removed = 0;
  for (let more = Boolean(due); more; ) {
    await db.transaction().execute(async (tx) => {
      await holdAnnouncements(tx);
      const owners = (await overdue(tx).execute()).map(({ owner }) => owner);
      removed += (await removeOwned(tx, owners)) + (await removeExpired(tx, now));
      more = owners.length === REMOVED_AT_ONCE;
    });
  }
  return removed;
}

/** Everything agents offered, at once. */
export async function removeOwned(tx: Tx, owners: readonly string[]): Promise<number> {
  if (owners.length === 0) return 0;
  await tx
    .deleteFrom('announcement')
    .where(sqlIn(tx, 'announcement.owner', owners))
    .execute();
  await removeRoutesOf(tx, owners);
  const gone = await tx
    .deleteFrom('resource')
    .where(sqlIn(tx, 'resource.owner', owners))
    .returning(['kind', 'id', 'owner'])
    .execute();
  await publishResources(tx, gone);
  return gone.length;
}
