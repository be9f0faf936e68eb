/** Whether a link that somebody made for somebody else still counts: it gives no more than its maker could give now. */

import { refuseTakeover } from '../../access/escalation.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { findSignIn, isAlive } from '../stores/sign-in-store.ts';
import { limitToScope } from '../stores/token-scope.ts';
import { findUser, type User } from '../stores/user-store.ts';
import { refusedLink, type UserToken } from '../stores/user-token-store.ts';

type MakerDeps = Pick<IdentityDeps, 'db' | 'access' | 'refuseProvidersGift'>;

/** What a link keeps of whoever makes it. */
export function makerOf({ username, signInId, isNarrowed }: Pick<Actor, 'username' | 'signInId' | 'isNarrowed'>) {
  return { createdBy: username, ...(isNarrowed ? { madeWith: signInId } : {}) };
}

/** Throws as for a link that has expired when its maker is gone, locked, or could not make it any more. */
export async function requireMaker(
  deps: MakerDeps & Pick<IdentityDeps, 'now'>,
  { type, created, createdBy, madeWith }: Pick<UserToken, 'type' | 'created' | 'createdBy' | 'madeWith'>,
  user: User,
): Promise<{ mayEditRoles: boolean }> {
  const { db, access, now } = deps;
  // Recovery was begun by the user; names with a dash are those of the machine's owner, not of users.
  if ((type !== 'invite' && type !== 'password') || createdBy.startsWith('-')) return { mayEditRoles: true };
  const found = await findUser(db, createdBy);
  // Whoever is younger than the link has only the name of who made it.
  const whole = found && found.created <= created ? actorOf(access, found) : undefined;
  const maker = whole && madeWith !== undefined ? await narrowed(db, whole, madeWith, now()) : whole;
  if (!maker || access.lockOn(maker) || !(await mayMake(deps, maker, type, user))) throw refusedLink('expired');
  return { mayEditRoles: access.mayEditRoles(maker) };
}

/** A link must not outlive the token that made it, nor give what the token could not while its owner could. */
async function narrowed(db: Db, maker: Actor, signInId: string, now: number): Promise<Actor | undefined> {
  const token = await findSignIn(db, signInId);
  if (!token || token.user !== maker.username || !isAlive(token, now)) return undefined;
  if (token.scope === 'all') return maker;
  return {
    ...maker,
    acl: limitToScope(maker.acl, token.scope),
    isNarrowed: token.scope === 'read' ? 'reads' : 'names',
  };
}

async function mayMake(
  { db, access, refuseProvidersGift }: MakerDeps,
  maker: Actor,
  type: 'invite' | 'password',
  user: User,
): Promise<boolean> {
  const mayUpdate = mayReach(access, maker, 'update', 'user', user.name);
  if (!mayUpdate && !(type === 'invite' && mayReach(access, maker, 'create', 'user', user.name))) return false;
  try {
    refuseTakeover(access, maker, user);
    await refuseProvidersGift(db, maker, user);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function actorOf(access: IdentityDeps['access'], { name, roles, traits, authType }: User): Actor {
  const subject = { username: name, roles, traits };
  return {
    ...subject,
    signInId: '',
    signInKind: 'browser',
    authType: authType === 'local' ? 'local' : 'sso',
    acl: access.aclOf(subject),
  };
}
