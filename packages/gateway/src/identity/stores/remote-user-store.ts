/** People of roots who were here, in the store. */
import type { Selectable } from 'kysely';
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
}

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

/** Everything open of theirs is decided again. */
export async function putRemoteUser(tx: Tx, user: RemoteUser): Promise<void> {
  const values = {
    remote_roles: writeJson(user.remoteRoles),
    roles: writeJson(user.roles),
    traits: writeJson(user.traits),
    auth_type: user.authType,
    seen: user.seen,
  };
  await tx
    .insertInto('remote_user')
    .values({ trust: user.trust, name: user.name, ...values })
    .onConflict((conflict) => conflict.columns(['trust', 'name']).doUpdateSet(values))
    .execute();
  await publish(tx, { topic: 'user', id: remoteName(user) });
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
  };
}
