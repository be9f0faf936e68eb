/** Registers hardware keys and passkeys and checks their answers. Knows no store: the caller keeps challenge and credential. */
import { randomBytes } from 'node:crypto';
import { SIGNED_IN_MARK } from '@gatehouse/contract/identity/signed-in-challenge';
import type {
  AssertionOptions,
  AssertionResponse,
  CreationOptions,
  CreationResponse,
  DeviceUsage,
} from '@gatehouse/contract/identity/webauthn';
import { sameText } from '../../platform/crypto/tokens.ts';
import {
  type Ceremony,
  checkAuthenticatorData,
  checkClientData,
  checkUserHandle,
  copiedKey,
  notVerified,
  refusing,
  withoutAttestation,
  wrongKey,
} from './webauthn-checks.ts';

export const WEBAUTHN_TIMEOUT_MS = 300_000;
const CHALLENGE_BYTES = 32;
const CREDENTIAL_ID_BYTES_MAX = 1_023;

/**
 * EdDSA, ES256, RS256. The wire reference lists ten, among them the larger and PSS variants that no key on sale needs;
 * each one more is code an attacker can choose. Left to itself the library would also prefer ML-DSA-44, which is
 * experimental in this runtime and which Chromium takes when offered.
 */
export const ALGORITHMS = [-8, -7, -257];

/** What is kept of a key. */
export interface Credential {
  /** Unpadded base64url, in the one spelling of its bytes. */
  credentialId: string;
  /** COSE. */
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
}

export interface NewCredential extends Credential {
  /** Which model made it; all zeros when it does not say. */
  aaguid: string;
  /** Copied to the person's other devices by its maker. */
  backedUp: boolean;
  /** A PIN, fingerprint or face was checked. */
  userVerified: boolean;
}

export function beginRegistration({
  rpId,
  rpName,
  user,
  usage,
  exclude,
}: {
  rpId: string;
  rpName: string;
  /** `id` is the user handle: at most 64 random bytes that are the same for all keys of the user, and no name. */
  user: { id: Buffer; name: string };
  usage: DeviceUsage;
  exclude: readonly Pick<Credential, 'credentialId' | 'transports'>[];
}): { challenge: string; options: CreationOptions } {
  const challenge = randomBytes(CHALLENGE_BYTES);
  const passwordless = usage === 'passwordless';
  const options: CreationOptions = {
    publicKey: {
      challenge: challenge.toString('base64'),
      rp: { id: rpId, name: rpName },
      user: { id: user.id.toString('base64'), name: user.name, displayName: user.name },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: {
        requireResidentKey: passwordless,
        residentKey: passwordless ? 'required' : 'discouraged',
        userVerification: passwordless ? 'required' : 'discouraged',
      },
      timeout: WEBAUTHN_TIMEOUT_MS,
      excludeCredentials: exclude.map(descriptorOf),
      attestation: 'none',
    },
  };
  return { challenge: challenge.toString('base64url'), options };
}

export async function finishRegistration({
  response,
  usage,
  ...expected
}: Ceremony & { response: CreationResponse; usage: DeviceUsage }): Promise<NewCredential> {
  checkClientData(response.response.clientDataJSON, { ...expected, type: 'webauthn.create' });
  const attestation = await withoutAttestation(response.response.attestationObject);
  const passwordless = usage === 'passwordless';
  checkAuthenticatorData(attestation.authData, { rpId: expected.rpId, passwordless });
  const { verifyRegistrationResponse } = await loadLibrary();
  const { registrationInfo } = await refusing(() =>
    verifyRegistrationResponse({
      response: {
        ...response,
        response: { ...response.response, attestationObject: attestation.attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: [...expected.origins],
      expectedRPID: expected.rpId,
      requireUserVerification: passwordless,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!registrationInfo) throw notVerified();
  const { credential, aaguid, credentialBackedUp, userVerified } = registrationInfo;
  // The library reads the id inside the signed part and ignores the one beside it; a browser never lets them differ.
  if (!sameText(credential.id, credentialIdOf(response))) throw notVerified();
  if (Buffer.from(credential.id, 'base64url').length > CREDENTIAL_ID_BYTES_MAX) throw notVerified();
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: credential.transports ?? [],
    aaguid,
    backedUp: credentialBackedUp,
    userVerified,
  };
}

/** Without `allow` any resident key of this site may answer: the way of passwordless sign-in. */
export function beginAssertion({
  rpId,
  allow,
  passwordless,
  isSignedIn = false,
}: {
  rpId: string;
  allow?: readonly Pick<Credential, 'credentialId' | 'transports'>[];
  passwordless: boolean;
  /** Asked of somebody who is signed in: the challenge says so, and browsers answer no other one for a session. */
  isSignedIn?: boolean;
}): { challenge: string; options: AssertionOptions } {
  const random = randomBytes(CHALLENGE_BYTES);
  const challenge = isSignedIn ? Buffer.concat([Buffer.from(SIGNED_IN_MARK), random]) : random;
  const options: AssertionOptions = {
    publicKey: {
      challenge: challenge.toString('base64'),
      timeout: WEBAUTHN_TIMEOUT_MS,
      rpId,
      // Passwordless must not list keys: the list would tell an outsider which names exist.
      ...(allow && !passwordless ? { allowCredentials: allow.map(descriptorOf) } : {}),
      userVerification: passwordless ? 'required' : 'discouraged',
    },
  };
  return { challenge: challenge.toString('base64url'), options };
}

export async function finishAssertion({
  response,
  credential,
  userId,
  passwordless,
  ...expected
}: Ceremony & {
  response: AssertionResponse;
  /** The stored one that `credentialIdOf(response)` names. */
  credential: Pick<Credential, 'credentialId' | 'publicKey' | 'counter'>;
  /** The handle of the user who owns the credential. */
  userId: Buffer;
  passwordless: boolean;
}): Promise<{ newCounter: number; userVerified: boolean; backedUp: boolean }> {
  // The library takes any credential it is handed, whatever id the answer carries.
  if (!sameText(credentialIdOf(response), credential.credentialId)) throw wrongKey();
  checkUserHandle(userHandleOf(response), { userId, passwordless });
  checkClientData(response.response.clientDataJSON, { ...expected, type: 'webauthn.get' });
  const authData = Buffer.from(response.response.authenticatorData, 'base64url');
  checkAuthenticatorData(authData, { rpId: expected.rpId, passwordless });
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await refusing(() =>
    verifyAuthenticationResponse({
      response: {
        ...response,
        response: { ...response.response, userHandle: response.response.userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: [...expected.origins],
      expectedRPID: expected.rpId,
      // The library compares counters before it checks the signature, so that anybody could raise the alarm of a
      // copied key. Ours is compared below, when the counter is known to come from the key.
      credential: { id: credential.credentialId, publicKey: credential.publicKey, counter: 0 },
      requireUserVerification: passwordless,
    }),
  );
  if (!verified) throw notVerified();
  const { newCounter, userVerified, credentialBackedUp } = authenticationInfo;
  if ((newCounter > 0 || credential.counter > 0) && newCounter <= credential.counter) throw copiedKey();
  return { newCounter, userVerified, backedUp: credentialBackedUp };
}

/** With the first key that answers: it brings a library for certificates, which takes an eighth of a gateway's start. */
async function loadLibrary() {
  return await import('@simplewebauthn/server');
}

/** The id to look the credential up by. The same bytes have several spellings in base64url; this is the stored one. */
export function credentialIdOf(response: Pick<AssertionResponse, 'rawId'>): string {
  return Buffer.from(response.rawId, 'base64url').toString('base64url');
}

/** Whose key it claims to be: only a claim until `finishAssertion` has returned. */
export function userHandleOf(response: AssertionResponse): Buffer | undefined {
  const { userHandle } = response.response;
  return userHandle ? Buffer.from(userHandle, 'base64url') : undefined;
}

function descriptorOf({ credentialId, transports }: Pick<Credential, 'credentialId' | 'transports'>) {
  return {
    type: 'public-key' as const,
    id: Buffer.from(credentialId, 'base64url').toString('base64'),
    ...(transports.length > 0 ? { transports } : {}),
  };
}
