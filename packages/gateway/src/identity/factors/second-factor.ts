/** Asks for a second factor and checks the answer: which devices count, one-time codes, keys. */

import type { SecondFactor } from '@gatehouse/contract/console/page-config';
import type { AssertionResponse, AuthenticateChallenge } from '@gatehouse/contract/identity/webauthn';
import type { Tx } from '../../platform/storage/tables.ts';
import { checkTotp } from '../credentials/totp.ts';
import { beginAssertion, credentialIdOf, finishAssertion } from '../credentials/webauthn.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { type Challenge, keepChallenge, takeChallenge } from '../stores/challenge-store.ts';
import {
  type Device,
  findKey,
  type KeyDevice,
  listDevices,
  markKeyUsed,
  spendTotpStep,
  type TotpDevice,
  totpSecret,
} from '../stores/device-store.ts';
import { findUser } from '../stores/user-store.ts';

type FactorDeps = Pick<IdentityDeps, 'db' | 'now' | 'secrets' | 'settings'>;

export function takesTotp(mode: SecondFactor): boolean {
  return mode === 'otp' || mode === 'on' || mode === 'optional';
}

export function takesKeys(mode: SecondFactor): boolean {
  return mode === 'webauthn' || mode === 'on' || mode === 'optional';
}

/** Whether nobody may be without a second factor. */
export function isRequired(mode: SecondFactor): boolean {
  return mode === 'otp' || mode === 'webauthn' || mode === 'on';
}

/** The devices that count in this mode; one enrolled under another mode is kept but not asked for. */
export function usableDevices(devices: readonly Device[], mode: SecondFactor): Device[] {
  return devices.filter((device) => (device.type === 'TOTP' ? takesTotp(mode) : takesKeys(mode)));
}

export function originsFor({ settings }: Pick<FactorDeps, 'settings'>, requestOrigin: string): string[] {
  const own = URL.parse(requestOrigin);
  // A request may claim any host; keys answer only where they were registered.
  return own && own.hostname === settings.rpId ? [requestOrigin, ...settings.origins] : [...settings.origins];
}

/** A challenge for one of the user's devices; kept until it is answered. */
export async function askForFactor(
  deps: FactorDeps,
  who: Pick<Challenge, 'purpose' | 'signInId' | 'tiedTo'> & { user: string },
): Promise<AuthenticateChallenge> {
  const devices = usableDevices(await listDevices(deps.db, who.user), deps.settings.secondFactor);
  const keys = devices.filter((device) => device.type === 'WebAuthn').map(({ credential }) => credential);
  const totp_challenge = devices.some((device) => device.type === 'TOTP');
  if (keys.length === 0) return { webauthn_challenge: null, totp_challenge };
  const isSignedIn = who.purpose === 'mfa' && who.signInId !== undefined;
  const { challenge, options } = beginAssertion({
    ...{ rpId: deps.settings.rpId, allow: keys, passwordless: false, isSignedIn },
  });
  await keepChallenge(deps.db, { ...who, challenge }, deps.now());
  return { webauthn_challenge: options, totp_challenge };
}

/** A challenge any resident key of this site may answer. */
export async function askForPasskey(deps: FactorDeps, tiedTo: string): Promise<AuthenticateChallenge> {
  const { challenge, options } = beginAssertion({ rpId: deps.settings.rpId, passwordless: true });
  await keepChallenge(
    deps.db,
    { challenge, purpose: 'passwordless', user: undefined, signInId: undefined, tiedTo },
    deps.now(),
  );
  return { webauthn_challenge: options, totp_challenge: false };
}

/** A factor that was proven; `use` marks it used and must run in the transaction that acts on it. */
export interface ProvenFactor {
  device: Device;
  /** False when the same code was used, or the device removed, meanwhile. */
  use(tx: Tx): Promise<boolean>;
}

export async function checkCode(
  deps: FactorDeps,
  devices: readonly Device[],
  code: string,
): Promise<ProvenFactor | undefined> {
  const apps = usableDevices(devices, deps.settings.secondFactor).filter((device) => device.type === 'TOTP');
  for (const device of apps) {
    const { step } = checkApp(deps, device, code) ?? {};
    if (step !== undefined) return { device, use: (tx) => spendTotpStep(tx, device.id, step, deps.now()) };
  }
  return undefined;
}

function checkApp({ secrets, now }: FactorDeps, device: TotpDevice, code: string): { step: number } | undefined {
  const secret = totpSecret(device, secrets);
  return checkTotp({ secret, code, now: now(), lastStep: device.lastStep });
}

export interface KeyAnswer {
  response: AssertionResponse;
  requestOrigin: string;
}

/** Takes the challenge and checks the key's answer. Throws why it is refused; the caller decides what of that is told. */
export async function checkKey(
  deps: FactorDeps,
  { response, requestOrigin }: KeyAnswer,
  expected: (challenge: Challenge, device: KeyDevice) => boolean,
): Promise<ProvenFactor & { device: KeyDevice; challenge: Challenge }> {
  const challenge = await takeChallenge(deps.db, response, deps.now());
  if (!challenge) throw new Error('the challenge is unknown, used or expired');
  const device = await findKey(deps.db, credentialIdOf(response));
  if (!device || !expected(challenge, device)) throw new Error('the key is not registered for this account');
  const owner = await findUser(deps.db, device.user);
  if (!owner) throw new Error('the key belongs to nobody');
  const { newCounter } = await finishAssertion({
    response,
    credential: device.credential,
    userId: owner.webauthnHandle,
    passwordless: challenge.purpose === 'passwordless',
    challenge: challenge.challenge,
    rpId: deps.settings.rpId,
    origins: originsFor(deps, requestOrigin),
  });
  return {
    device,
    challenge,
    use: (tx) => markKeyUsed(tx, device.id, newCounter, deps.now()),
  };
}
