/** The users somebody may know of, as lists show them. */
import type { Factor, UserItem } from '@gatehouse/contract/identity/users/users';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { readClosedConnectors } from '../stores/closed-connectors.ts';
import { factorsByUser } from '../stores/device-store.ts';
import { listUsers, type User } from '../stores/user-store.ts';

/** Everybody the caller may know of. */
export async function listKnownUsers({ db, access }: IdentityDeps, actor: Actor): Promise<UserItem[]> {
  const [users, factors, closedFor] = await Promise.all([listUsers(db), factorsByUser(db), readClosedConnectors(db)]);
  return users
    .filter(({ name }) => mayReach(access, actor, 'list', 'user', name))
    .map((user) => toItem(user, factors.get(user.name) ?? [], closedFor(user)));
}

function toItem(user: User, factors: Factor[], closedConnector: string | undefined): UserItem {
  const isInvited = user.authType === 'local' && user.passwordHash === undefined && user.lastSignIn === undefined;
  return {
    name: user.name,
    roles: user.roles.toSorted(),
    authType: user.authType,
    ...formerConnector(user),
    ...(closedConnector === undefined ? {} : { closedConnector }),
    factors,
    ...(isInvited && !factors.includes('passkey') ? { invited: true } : {}),
    ...(user.lastSignIn === undefined ? {} : { lastSignIn: new Date(user.lastSignIn).toISOString() }),
  };
}

/** Until somebody here gives them roles: then they are an account like others. */
export function formerConnector({ authType, givenBy }: User): Pick<UserItem, 'formerConnector'> {
  return authType === 'local' && givenBy !== undefined ? { formerConnector: givenBy } : {};
}
