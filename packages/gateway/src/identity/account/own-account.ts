/** Who may touch an account: its owner in person. */
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { isLocalActor } from '../sign-in/local-actor.ts';
import { findUser, type User } from '../stores/user-store.ts';

/** A script's token must not be able to make itself permanent by changing the password or adding a key. */
export function requirePerson(actor: Actor): void {
  if (actor.signInKind === 'token')
    throw new AppError('denied', 'a token for scripts cannot change its owner’s account');
  if (isLocalActor(actor)) throw new AppError('denied', 'sign in first: the local socket has no account of its own');
}

export async function ownUser(db: Db, actor: Actor): Promise<User> {
  requirePerson(actor);
  const user = await findUser(db, actor.username);
  if (!user) throw notFound('user', actor.username);
  return user;
}
