/** Answers the calls that list users and invite new ones. */
import { resetTokenCreated } from '@gatehouse/contract/audit/account-events';
import { inviteMadeLocally, userCreated } from '@gatehouse/contract/audit/user-events';
import type { Factor, UserItem, userRoutes } from '@gatehouse/contract/identity/users/users';
import { shapeOfName } from '../../access/document/role-name.ts';
import { refuseExcess, requireGivenRoles } from '../../access/escalation.ts';
import { missingTraitNotes } from '../../access/missing-traits.ts';
import { mayReach } from '../../access/reach.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { refuseFormerName } from '../account/former-names.ts';
import { linkFor } from '../account/link-for.ts';
import { makerOf } from '../account/link-maker.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { isLocalActor } from '../sign-in/local-actor.ts';
import { factorsByUser } from '../stores/device-store.ts';
import { findUser, insertUser, listUsers, type Traits, type User } from '../stores/user-store.ts';
import { createUserToken } from '../stores/user-token-store.ts';

export function userHandlers(parts: IdentityDeps): Handlers<typeof userRoutes> {
  const { db } = parts;
  return {
    list: ({ actor }) => listKnownUsers(parts, actor),

    async invite({ actor, body, exchange }) {
      const object = { kind: 'user', name: body.name };
      parts.access.require(actor, { type: 'verb', resource: 'user', verb: 'create', object });
      requireGivenRoles(parts.access, actor, body.roles);
      refuseExcess(parts.access, actor, body);
      const isKnown = (other: string) => mayReach(parts.access, actor, 'list', 'user', other);
      const ttlMs = body.ttlSeconds * 1000;
      const { tokenId, expires } = await db.transaction().execute(async (tx) => {
        await refuseTakenName(tx, body.name, isKnown);
        await refuseFormerName(tx, { access: parts.access, actor }, body.name);
        return await inviteUser(tx, parts, { ...body, ttlMs, actor, address: exchange.address, isKnown });
      });
      const inviteUrl = linkFor(parts.settings, { tokenId, type: 'invite' });
      return { name: body.name, inviteUrl, expires: new Date(expires).toISOString(), ...notesOn(parts.access, body) };
    },
  };
}

/** What of somebody's roles gives nothing as they are. */
export function notesOn(
  access: IdentityDeps['access'],
  { name, roles, traits }: { name: string; roles: readonly string[]; traits: Traits },
): { notes?: string[] } {
  const notes = missingTraitNotes(access.of({ username: name, roles, traits }));
  return notes.length > 0 ? { notes } : {};
}

/** Everybody the caller may know of. */
export async function listKnownUsers({ db, access }: IdentityDeps, actor: Actor): Promise<UserItem[]> {
  const [users, factors] = await Promise.all([listUsers(db), factorsByUser(db)]);
  return users
    .filter(({ name }) => mayReach(access, actor, 'list', 'user', name))
    .map((user) => toItem(user, factors.get(user.name) ?? []));
}

function toItem(user: User, factors: Factor[]): UserItem {
  const isInvited = user.authType === 'local' && user.passwordHash === undefined && user.lastSignIn === undefined;
  return {
    name: user.name,
    roles: user.roles.toSorted(),
    authType: user.authType,
    factors,
    ...(isInvited && !factors.includes('passkey') ? { invited: true } : {}),
    ...(user.lastSignIn === undefined ? {} : { lastSignIn: new Date(user.lastSignIn).toISOString() }),
  };
}

interface Invitation {
  name: string;
  roles: readonly string[];
  traits: Traits;
  ttlMs?: number | undefined;
  actor: Pick<Actor, 'username' | 'signInId' | 'isNarrowed'>;
  address?: string;
  /** Who may be named to the actor. */
  isKnown?: (other: string) => boolean;
}

/** Makes the user and the invite token in the caller's transaction. */
export async function inviteUser(
  tx: Tx,
  { now, audit }: Pick<IdentityDeps, 'now' | 'audit'>,
  { name, roles, traits, ttlMs, actor, address, isKnown = () => true }: Invitation,
): Promise<{ tokenId: string; expires: number }> {
  await refuseTakenName(tx, name, isKnown);
  const createdBy = actor.username;
  await insertUser(tx, { name, roles, traits, created: now(), createdBy });
  const ttl = ttlMs === undefined ? {} : { ttlMs };
  const token = await createUserToken(tx, { type: 'invite', user: name, ...makerOf(actor), now: now(), ...ttl });
  await publish(tx, { topic: 'user', id: name });

  const context = { signInId: actor.signInId, ...(address === undefined ? {} : { address }) };
  const expires = new Date(token.expires).toISOString();
  await audit.emit(tx, userCreated, { user: createdBy, name, roles: [...roles], connector: 'local' }, context);
  if (isLocalActor(actor)) {
    await audit.emit(tx, inviteMadeLocally, { user: createdBy, name, expires, type: 'invite' }, context);
  } else {
    await audit.emit(tx, resetTokenCreated, { user: createdBy, name, expires }, context);
  }
  return token;
}

/** Words that stand in the place of a name in addresses. */
const RESERVED: ReadonlySet<string> = new Set(['invite', 'password', 'privilege']);

/** A name that a reader would take for another's is as good as taken; whose it is, is told to whoever may know them. */
export async function refuseTakenName(tx: Tx, name: string, isKnown: (other: string) => boolean): Promise<void> {
  refuseReservedName(name);
  if (await findUser(tx, name)) throw new AppError('conflict', `user '${name}' exists already`);
  const shape = shapeOfName(name);
  const other = (await listUsers(tx)).find((user) => shapeOfName(user.name) === shape);
  if (other) throw looksTaken(name, isKnown(other.name) ? other.name : undefined);
}

export function looksTaken(name: string, other: string | undefined): AppError {
  const whose = other === undefined ? 'somebody else' : `user '${other}'`;
  return new AppError('conflict', `the name '${name}' looks like that of ${whose}`);
}

export function refuseReservedName(name: string): void {
  if (RESERVED.has(name)) throw new AppError('bad_request', `nobody can be called '${name}': it has another meaning`);
}
