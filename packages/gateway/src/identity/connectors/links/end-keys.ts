/** Ends the keys to an account, all of them but those that are named: whoever planted one would have what the account is given next. */
import { mfaDeviceDeleted } from '@gatehouse/contract/audit/account-events';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { forgetChallengesOf } from '../../stores/challenge-store.ts';
import { deleteDevice, deviceFields, listDevices } from '../../stores/device-store.ts';
import { dropRecoveryCodes } from '../../stores/recovery-store.ts';
import { endSignIn, listSignIns } from '../../stores/sign-in-store.ts';
import { setPasswordHash } from '../../stores/user-store.ts';
import { spendAllTokensOf, spendLinksMadeBy } from '../../stores/user-token-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { deleteIdentity, listIdentitiesOf, type StoredIdentity } from '../stores/identity-store.ts';
import { tellLink } from './tell-link.ts';

export interface Staying {
  signIn(id: string): boolean;
  device(id: string): boolean;
  password: boolean;
  codes: boolean;
  link(identity: StoredIdentity): boolean;
}

export interface EndedKeys {
  signIns: number;
  links: StoredIdentity[];
  /** For the event: what ended beside sign-ins. */
  what: string[];
}

/** Links, resets and proofs that are on their way end always. The caller holds users. */
export async function endKeys(
  { audit, now }: Pick<ConnectorDeps, 'audit' | 'now'>,
  tx: Tx,
  user: string,
  staying: Staying,
): Promise<EndedKeys> {
  const leaving = (await listSignIns(tx, user, now())).filter(({ id }) => !staying.signIn(id));
  for (const { id } of leaving) await endSignIn(tx, id, 'credentials_reset', now());
  // Before devices and codes are looked at: whoever adds one spends a token for it, so that one of the two waits here for the other. Otherwise
  // what is added in the same moment would stay, as a store that lets both run does not show it yet.
  await spendAllTokensOf(tx, user, now());
  await spendLinksMadeBy(tx, user, now());
  await forgetChallengesOf(tx, user);
  if (!staying.codes) await dropRecoveryCodes(tx, user);
  if (!staying.password) await setPasswordHash(tx, user, null);
  const devices = (await listDevices(tx, user)).filter(({ id }) => !staying.device(id));
  for (const device of devices) {
    await deleteDevice(tx, device.id);
    await audit.emit(tx, mfaDeviceDeleted, { user, ...deviceFields(device) });
  }
  const links = (await listIdentitiesOf(tx, user)).filter((each) => !staying.link(each));
  for (const { connector, subject } of links) {
    await deleteIdentity(tx, connector, subject);
    await tellLink(tx, audit, { user, name: user, connector, subject, action: 'unlinked' }, {});
  }
  await publish(tx, { topic: 'user', id: user });
  const what = [
    ...(staying.password ? [] : ['password']),
    ...devices.map(({ name }) => `device '${name}'`),
    ...(staying.codes ? [] : ['recovery codes']),
    ...links.map(({ connector }) => `the link to '${connector}'`),
  ];
  return { signIns: leaving.length, links, what };
}
