/** Somebody whom their provider does not stand for any more: their sign-ins through it end, and what it gave them is taken back. */
import type { Tx } from '../../../platform/storage/tables.ts';
import { findUser } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import type { StoredIdentity } from '../stores/identity-store.ts';
import { type EndedUser, endIdentity, endUser, withTaken } from './end-identities.ts';
import { withdrawFrom } from './withdraw.ts';

/** `everything`: their tokens for scripts and what they came in with otherwise end too, where they stand on the provider alone. */
export async function letGo(
  deps: Pick<ConnectorDeps, 'access' | 'audit' | 'now'>,
  tx: Tx,
  identity: StoredIdentity,
  { everything = false } = {},
): Promise<EndedUser[]> {
  const time = deps.now();
  const user = await findUser(tx, identity.user);
  if (!user) return endIdentity(tx, identity, time);
  const taken = await withdrawFrom(deps, tx, identity.connector, user);
  // Somebody with a password of this gateway, or with what another connector or somebody here gave, does not stand on the provider alone.
  const standsOnIt = user.givenBy === identity.connector && user.passwordHash === undefined && taken !== 'kept';
  const ended =
    everything && standsOnIt
      ? [{ user: user.name, count: await endUser(tx, user.name, time), isAll: true }].filter(({ count }) => count > 0)
      : await endIdentity(tx, identity, time);
  return taken === 'withdrawn' ? withTaken(ended, [user.name]) : ended;
}
