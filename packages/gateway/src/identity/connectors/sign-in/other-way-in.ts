/** Somebody who has an identity at a provider signs in by password, passkey or link: the provider is asked at once, and whom it does not stand for stays out. */
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { isDoubted } from '../../stores/linked-by.ts';
import { findUser, type User } from '../../stores/user-store.ts';
import { type ConnectorDeps, openAs } from '../connector-deps.ts';
import { withdrawFrom } from '../links/withdraw.ts';
import { findConnector } from '../stores/connector-store.ts';
import { listIdentitiesOf, recheckNow } from '../stores/identity-store.ts';
import { keepMs } from './enter-user.ts';

/** Throws where what they hold came from a provider that has let them go, or has not confirmed them for longer than `keep`. */
export async function enterOtherwise(
  deps: Pick<ConnectorDeps, 'access' | 'audit' | 'now'>,
  tx: Tx,
  name: string,
): Promise<void> {
  const user = await findUser(tx, name);
  if (!user) return;
  if (user.givenBy !== undefined) await requireStanding(deps, tx, user, user.givenBy);
  if (user.authType !== 'local') await recheckNow(tx, name, deps.now());
}

async function requireStanding(
  deps: Parameters<typeof enterOtherwise>[0],
  tx: Tx,
  user: User,
  connector: string,
): Promise<void> {
  const identity = (await listIdentitiesOf(tx, user.name)).find((each) => each.connector === connector);
  // Through the provider they would be told to come in by what they have just used, and confirm the link: nobody gets out of that by themselves.
  const otherwise =
    identity && isDoubted(identity)
      ? `your link to it is in doubt since you got new credentials, so ask an administrator to link you to '${connector}' again`
      : `sign in through '${connector}', or ask an administrator`;
  if (user.roles.length === 0)
    throw new AppError('denied', `your roles came from '${connector}', which gives you none now: ${otherwise}`);
  if (!(await isUnconfirmed(deps, tx, user.name, connector))) return;
  await holdUsers(tx);
  // The last administrator comes in all the same. Of others the refusal undoes this; the next round takes it back for good.
  if ((await withdrawFrom(deps, tx, connector, user)) === 'kept') return;
  throw new AppError('denied', `'${connector}' has not confirmed you for too long: ${otherwise}`);
}

async function isUnconfirmed(
  { now }: Pick<ConnectorDeps, 'now'>,
  tx: Tx,
  user: string,
  connector: string,
): Promise<boolean> {
  const stored = await findConnector(tx, connector);
  const identity = (await listIdentitiesOf(tx, user)).find((each) => each.connector === connector);
  if (!stored || !identity) return true;
  const { kind, content } = stored;
  return identity.confirmed < now() - keepMs(openAs(kind, { name: connector, content, facts: {}, secrets: {} }));
}
