/** Whether a provider's word, or a link to it, would leave nobody to put things right. */

import type { Db, Tx } from '../../../platform/storage/tables.ts';
import { hasAdministrator, hasAdministratorBeside, isAdministrator } from '../../stores/administrators.ts';
import { type Device, listDevices } from '../../stores/device-store.ts';
import type { User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';

type LastDeps = Pick<ConnectorDeps, 'access' | 'now'>;

/**
 * Asked once `after` is written: whether `user`, as they were, was the last administrator. Only those with a way of their own into this
 * gateway count: of those who come through providers alone the provider's word holds, whoever they are.
 */
export async function isLastAdministrator(
  { access, now }: LastDeps,
  tx: Tx,
  user: User,
  after: Pick<User, 'roles' | 'traits'>,
): Promise<boolean> {
  if (!wasAdministrator(access, user) || wasAdministrator(access, { ...user, ...after })) return false;
  return (await hasOwnWayIn(tx, user)) && !(await hasAdministrator(tx, now()));
}

/** Without theirs nobody could put things right while the provider is away. Who becomes an administrator only now is not spared. */
export async function isLastWithOwnWay({ access, now }: LastDeps, db: Db, user: User): Promise<boolean> {
  return wasAdministrator(access, user) && !(await hasAdministratorBeside(db, now(), user.name));
}

export function wasAdministrator(access: LastDeps['access'], { name: username, roles, traits }: User): boolean {
  return isAdministrator(access.of({ username, roles, traits }));
}

/** Signs in by itself. */
export function isWayIn(device: Device): boolean {
  return device.type === 'WebAuthn' && device.usage === 'passwordless';
}

async function hasOwnWayIn(tx: Tx, { name, passwordHash }: User): Promise<boolean> {
  return passwordHash !== undefined || (await listDevices(tx, name)).some(isWayIn);
}
