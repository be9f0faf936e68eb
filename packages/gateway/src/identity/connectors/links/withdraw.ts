/** Takes back what a connector gave when it no longer stands for somebody: without roles no passkey, password, token or command line of theirs gives anything. */
import { userUpdated } from '@gatehouse/contract/audit/user-events';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { listUsersGivenBy, type User, updateUser } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { type EndedUser, withTaken } from './end-identities.ts';
import { isLastAdministrator } from './last-administrator.ts';

type WithdrawDeps = Pick<ConnectorDeps, 'access' | 'audit' | 'now'>;

const NOTHING = { roles: [], traits: {} };

/** `kept`: the last administrator, who has a way of their own in, loses nothing. `none`: what they hold is not of this connector. */
export async function withdrawFrom(
  deps: WithdrawDeps,
  tx: Tx,
  connector: string,
  user: User,
): Promise<'withdrawn' | 'kept' | 'none'> {
  if (user.givenBy !== connector || holdsNothing(user)) return 'none';
  await updateUser(tx, user.name, { ...NOTHING, givenBy: connector });
  if (await isLastAdministrator(deps, tx, user, NOTHING)) {
    await updateUser(tx, user.name, user);
    return 'kept';
  }
  await tellWithdrawn(deps, tx, connector, user);
  return 'withdrawn';
}

/** From everybody: the caller holds that an administrator is left. Gives back whom it took something from, beside those whose sign-ins ended. */
export async function withdrawAll(
  deps: Pick<WithdrawDeps, 'audit'>,
  tx: Tx,
  connector: string,
  ended: readonly EndedUser[],
): Promise<EndedUser[]> {
  const taken: string[] = [];
  for (const user of await listUsersGivenBy(tx, connector)) {
    if (holdsNothing(user)) continue;
    await updateUser(tx, user.name, { ...NOTHING, givenBy: connector });
    await tellWithdrawn(deps, tx, connector, user);
    taken.push(user.name);
  }
  return withTaken(ended, taken);
}

function holdsNothing({ roles, traits }: User): boolean {
  return roles.length === 0 && Object.keys(traits).length === 0;
}

async function tellWithdrawn(
  { audit }: Pick<WithdrawDeps, 'audit'>,
  tx: Tx,
  connector: string,
  { name, roles, traits }: User,
): Promise<void> {
  await publish(tx, { topic: 'user', id: name });
  const before = {
    roles: [...roles],
    traits: Object.fromEntries(Object.entries(traits).map(([trait, values]) => [trait, [...values]])),
  };
  await audit.emit(tx, userUpdated, { user: name, name, roles: [], connector, before, after: NOTHING });
}
