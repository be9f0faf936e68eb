/** Whoever decisions are about: users of this cluster, and people of others who were here. Sign-ins, sessions, locks and explanations find them here alone. */
import type { Db } from '../../platform/storage/tables.ts';
import { readRemoteName, remoteName } from './remote-name.ts';
import { findRemoteUsers, listRemoteUsers, type RemoteUser } from './remote-user-store.ts';
import { findUser, findUsers, listUsers, type User } from './user-store.ts';

export async function findPerson(db: Db, name: string): Promise<User | undefined> {
  const remote = readRemoteName(name);
  if (!remote) return await findUser(db, name);
  const [found] = await findRemoteUsers(db, [remote]);
  return found && asUser(found);
}

/** Those of the names that there are. */
export async function findPeople(db: Db, names: readonly string[]): Promise<User[]> {
  const remote = names.flatMap((name) => readRemoteName(name) ?? []);
  if (remote.length === 0) return await findUsers(db, names);
  const local = names.filter((name) => readRemoteName(name) === undefined);
  return [...(await findUsers(db, local)), ...(await findRemoteUsers(db, remote)).map(asUser)];
}

/** Everybody: of thousands in as many rows. */
export async function listPeople(db: Db): Promise<User[]> {
  return [...(await listUsers(db)), ...(await listRemoteUsers(db)).map(asUser)];
}

/** Nothing of theirs signs anybody in here: no password, no key, no link. */
function asUser(user: RemoteUser): User {
  return {
    name: remoteName(user),
    passwordHash: undefined,
    passwordSetIn: undefined,
    roles: user.roles,
    traits: user.traits,
    webauthnHandle: Buffer.alloc(0),
    authType: user.authType,
    created: user.seen,
    createdBy: user.trust,
    givenBy: undefined,
    lastSignIn: user.seen,
    // Nobody is told of them.
    version: 0,
  };
}
