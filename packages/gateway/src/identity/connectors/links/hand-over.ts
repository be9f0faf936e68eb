/** The first sign-in through a link that an administrator made: the account is theirs from then on, and nobody else keeps a key to it. */

import { mfaDeviceDeleted } from '@gatehouse/contract/audit/account-events';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { hasAdministrator, hasAdministratorBeside, isAdministrator } from '../../stores/administrators.ts';
import { forgetChallengesOf } from '../../stores/challenge-store.ts';
import { deleteDevice, deviceFields, listDevices } from '../../stores/device-store.ts';
import { dropRecoveryCodes } from '../../stores/recovery-store.ts';
import { endSignInsOf } from '../../stores/sign-in-store.ts';
import { setPasswordHash, type User } from '../../stores/user-store.ts';
import { spendAllTokensOf } from '../../stores/user-token-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { deleteIdentity, listIdentitiesOf, type StoredIdentity } from '../stores/identity-store.ts';
import { tellEnded } from './end-identities.ts';
import { tellLink } from './link-identity.ts';

type HandOverDeps = Pick<ConnectorDeps, 'access' | 'audit' | 'now'>;

/** Who linked themselves has proven both, and the provider was heard by that. */
export function isHandedOver({ issuer }: StoredIdentity): boolean {
  return issuer === '';
}

/**
 * Whoever made the account, or a link to its password, would have what the provider gives. `user` as they were before it gave anything;
 * `provesFactor`: they have just answered with a device of the account, so its keys are theirs.
 */
export async function handOver(
  deps: HandOverDeps,
  tx: Tx,
  { connector, subject }: Pick<StoredIdentity, 'connector' | 'subject'>,
  { user, provesFactor }: { user: User; provesFactor: boolean },
): Promise<void> {
  const { audit, now } = deps;
  const { name } = user;
  const keepsKeys = provesFactor || (await isLastWithOwnWay(deps, tx, user));
  const ended = await endSignInsOf(tx, name, 'credentials_reset', { now: now() });
  await spendAllTokensOf(tx, name, now());
  await forgetChallengesOf(tx, name);
  if (!keepsKeys) await dropKeys(deps, tx, name);
  const keepsOwn = provesFactor || (await isLastOfAll(deps, tx, user));
  const dropped = await dropLinks(deps, tx, { user: name, connector }, { keepsOwn });
  await publish(tx, { topic: 'user', id: name });
  const what = [
    'what was signed in before',
    ...(keepsKeys ? [] : ['password', 'devices', 'recovery codes']),
    ...dropped.map((each) => `the link to '${each}'`),
  ].join(', ');
  const reason = `an administrator linked them, and with their first sign-in through it ${what} ended`;
  await tellEnded(tx, audit, { connector, subject, reason, ended: [{ user: name, count: ended.length, isAll: true }] });
}

/** Without it nobody could put things right while the provider is away. Who becomes an administrator only now is not spared. */
async function isLastWithOwnWay({ access, now }: HandOverDeps, tx: Tx, user: User): Promise<boolean> {
  return wasAdministrator(access, user) && !(await hasAdministratorBeside(tx, now(), user.name));
}

/** Asked once what they have from now on is written: without the other link, nobody would ever be one again. */
async function isLastOfAll({ access, now }: HandOverDeps, tx: Tx, user: User): Promise<boolean> {
  return wasAdministrator(access, user) && !(await hasAdministrator(tx, now()));
}

function wasAdministrator(access: HandOverDeps['access'], { name: username, roles, traits }: User): boolean {
  return isAdministrator(access.of({ username, roles, traits }));
}

/**
 * Links to other connectors are keys as well. Those stay that somebody who may edit roles made: whose sign-in made the account has only
 * its name, which people choose for themselves at some providers, and had it before the one whose name it is.
 */
async function dropLinks(
  { audit }: HandOverDeps,
  tx: Tx,
  { user, connector }: { user: string; connector: string },
  { keepsOwn }: { keepsOwn: boolean },
): Promise<string[]> {
  const isDropped = ({ linkedBy }: StoredIdentity) => linkedBy === 'other' || (linkedBy !== 'editor' && !keepsOwn);
  const others = (await listIdentitiesOf(tx, user)).filter((each) => each.connector !== connector && isDropped(each));
  for (const { connector: other, subject } of others) {
    await deleteIdentity(tx, other, subject);
    await tellLink(tx, audit, { user, name: user, connector: other, subject, action: 'unlinked' }, {});
  }
  return others.map((each) => each.connector);
}

async function dropKeys({ audit }: HandOverDeps, tx: Tx, user: string): Promise<void> {
  await setPasswordHash(tx, user, null);
  await dropRecoveryCodes(tx, user);
  for (const device of await listDevices(tx, user)) {
    await deleteDevice(tx, device.id);
    await audit.emit(tx, mfaDeviceDeleted, { user, ...deviceFields(device) });
  }
}
