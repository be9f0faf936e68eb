/** Whether a link that somebody made for somebody else still counts: it gives no more than its maker could give now. */
import type { Actor } from '../../access/actor.ts';
import { refuseTakeover } from '../../access/escalation.ts';
import { mayReach } from '../../access/reach.ts';
import { AppError } from '../../std/app-error.ts';
import { findUser, type User } from '../../users/user-store.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { refusedLink, type UserToken } from './user-token-store.ts';

/** Throws as for a link that has expired when its maker is gone, locked, or could not make it any more. */
export async function requireMaker(
  { db, access }: Pick<IdentityParts, 'db' | 'access'>,
  { type, created, createdBy }: Pick<UserToken, 'type' | 'created' | 'createdBy'>,
  user: User,
): Promise<void> {
  // Recovery was begun by the user; names with a dash are those of the machine's owner, not of users.
  if ((type !== 'invite' && type !== 'password') || createdBy.startsWith('-')) return;
  const found = await findUser(db, createdBy);
  // Whoever is younger than the link has only the name of who made it.
  const maker = found && found.created <= created ? actorOf(access, found) : undefined;
  if (!maker || access.lockOn(maker) || !mayMake(access, maker, type, user)) throw refusedLink('expired');
}

function mayMake(access: IdentityParts['access'], maker: Actor, type: 'invite' | 'password', user: User): boolean {
  const mayUpdate = mayReach(access, maker, 'update', 'user', user.name);
  if (!mayUpdate && !(type === 'invite' && mayReach(access, maker, 'create', 'user', user.name))) return false;
  try {
    refuseTakeover(access, maker, user);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function actorOf(access: IdentityParts['access'], { name, roles, traits, authType }: User): Actor {
  const subject = { username: name, roles, traits };
  return {
    ...subject,
    signInId: '',
    signInKind: 'browser',
    authType: authType === 'local' ? 'local' : 'sso',
    acl: access.aclOf(subject),
  };
}
