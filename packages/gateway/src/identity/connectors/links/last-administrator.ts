/** Whether a provider's word would leave nobody to put things right. */

import type { Tx } from '../../../platform/storage/tables.ts';
import { hasAdministrator, isAdministrator } from '../../stores/administrators.ts';
import { listDevices } from '../../stores/device-store.ts';
import type { User } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';

/**
 * Asked once `after` is written: whether `user`, as they were, was the last administrator. Only those with a way of their own into this
 * gateway count: of those who come through providers alone the provider's word holds, whoever they are.
 */
export async function isLastAdministrator(
  { access, now }: Pick<ConnectorDeps, 'access' | 'now'>,
  tx: Tx,
  user: User,
  after: Pick<User, 'roles' | 'traits'>,
): Promise<boolean> {
  const administers = ({ roles, traits }: Pick<User, 'roles' | 'traits'>) =>
    isAdministrator(access.of({ username: user.name, roles, traits }));
  if (!administers(user) || administers(after)) return false;
  return (await hasOwnWayIn(tx, user)) && !(await hasAdministrator(tx, now()));
}

async function hasOwnWayIn(tx: Tx, { name, passwordHash }: User): Promise<boolean> {
  if (passwordHash !== undefined) return true;
  return (await listDevices(tx, name)).some((device) => device.type === 'WebAuthn' && device.usage === 'passwordless');
}
