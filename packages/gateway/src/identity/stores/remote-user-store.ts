/** People of roots who were here, in the store. */
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { publish } from '../../platform/change-feed/publish.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import { remoteName } from './remote-name.ts';

export interface RemoteUser {
  trust: string;
  name: string;
  /** As the root names them. */
  remoteRoles: readonly string[];
  /** What they give here. */
  roles: readonly string[];
  traits: Readonly<Record<string, readonly string[]>>;
  authType: 'local' | 'sso';
  seen: number;
  /** What the root numbers it by, and when it said so; undefined where it is of an older release. */
  told: { version: number; at: number } | undefined;
}

/** What was said before is on its way for so long: passports are good for a minute, on clocks that differ. */
const ON_ITS_WAY_SECONDS = 120;

const names = z.array(z.string());
const storedTraits = z.record(z.string(), z.array(z.string()));

/** Statements have a limit of values. */
const CHUNK = 400;

export async function findRemoteUsers(
  db: Db,
  wanted: readonly Pick<RemoteUser, 'trust' | 'name'>[],
): Promise<RemoteUser[]> {
  const found: RemoteUser[] = [];
  for (let at = 0; at < wanted.length; at += CHUNK) {
    const chunk = wanted.slice(at, at + CHUNK);
    const rows = await db
      .selectFrom('remote_user')
      .selectAll()
      .where((builder) =>
        builder.or(
          chunk.map(({ trust, name }) => builder.and([builder('trust', '=', trust), builder('name', '=', name)])),
        ),
      )
      .execute();
    found.push(...rows.map(toRemoteUser));
  }
  return found;
}

/** The latest first. */
export async function listRemoteUsers(db: Db, trust?: string): Promise<RemoteUser[]> {
  const query = db.selectFrom('remote_user').selectAll().orderBy('seen', 'desc').orderBy('name');
  return (await (trust === undefined ? query : query.where('trust', '=', trust)).execute()).map(toRemoteUser);
}

export async function countRemoteUsers(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('remote_user')
    .select(({ fn }) => ['trust', fn.countAll<number>().as('count')])
    .groupBy('trust')
    .execute();
  return new Map(rows.map(({ trust, count }) => [trust, Number(count)]));
}

/**
 * Everything open of theirs is decided again. False: what is known is newer, whichever gateway it came by; nothing was written.
 * A smaller number long after is no older word: the root was set back to a backup.
 */
export async function putRemoteUser(tx: Tx, user: RemoteUser): Promise<boolean> {
  const { told } = user;
  const values = {
    remote_roles: writeJson(user.remoteRoles),
    roles: writeJson(user.roles),
    traits: writeJson(user.traits),
    auth_type: user.authType,
    seen: user.seen,
    told_version: told?.version ?? null,
    told_at: told?.at ?? null,
  };
  // In one statement: another gateway may write in this moment.
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('remote_user')
    .values({ trust: user.trust, name: user.name, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['trust', 'name'])
        .doUpdateSet(values)
        .where((eb) =>
          told === undefined
            ? sql<boolean>`1 = 1`
            : eb.or([
                eb('remote_user.told_version', 'is', null),
                eb('remote_user.told_version', '<=', told.version),
                eb('remote_user.told_at', '<', told.at - ON_ITS_WAY_SECONDS),
              ]),
        ),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) return false;
  await publish(tx, { topic: 'user', id: remoteName(user) });
  return true;
}

/** Nothing of what they hold changed. */
export async function noteRemoteUser(db: Db, { trust, name, seen }: Pick<RemoteUser, 'trust' | 'name' | 'seen'>) {
  await db.updateTable('remote_user').set({ seen }).where('trust', '=', trust).where('name', '=', name).execute();
}

function toRemoteUser(row: Selectable<Tables['remote_user']>): RemoteUser {
  return {
    trust: row.trust,
    name: row.name,
    remoteRoles: names.parse(readJson(row.remote_roles)),
    roles: names.parse(readJson(row.roles)),
    traits: storedTraits.parse(readJson(row.traits)),
    authType: row.auth_type === 'sso' ? 'sso' : 'local',
    seen: row.seen,
    told: row.told_version === null ? undefined : { version: row.told_version, at: row.told_at ?? 0 },
  };
}
