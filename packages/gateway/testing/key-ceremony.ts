/** Registering and signing in with a software key from beginning to end, for tests: everything true unless told. */
import { randomBytes } from 'node:crypto';
import {
  type AssertionResponse,
  assertionResponse,
  type CreationResponse,
  creationResponse,
  type DeviceUsage,
} from '@gatehouse/contract/identity/webauthn';
import {
  beginAssertion,
  beginRegistration,
  finishAssertion,
  finishRegistration,
  type NewCredential,
} from '../src/identity/credentials/webauthn.ts';
import { createSoftwareKey, type KeyAlgorithm, type Prompt, type SoftwareKey } from './software-key.ts';

export const SITE = { rpId: 'gate.example.com', origins: ['https://gate.example.com'] };
export const HONEST: Prompt = { origin: 'https://gate.example.com' };
export const USER = { id: randomBytes(32), name: 'ann' };

export function begin(usage: DeviceUsage) {
  return beginRegistration({ ...SITE, rpName: 'Gatehouse', user: USER, usage, exclude: [] });
}

export async function registered(
  usage: DeviceUsage,
  {
    prompt = HONEST,
    algorithm,
    edit = (answer) => answer,
  }: { prompt?: Prompt; algorithm?: KeyAlgorithm; edit?: (answer: CreationResponse) => CreationResponse } = {},
): Promise<{ key: SoftwareKey; credential: NewCredential }> {
  const key = createSoftwareKey({ algorithm });
  const { challenge, options } = begin(usage);
  const response = creationResponse.parse(edit(key.register(options, prompt)));
  return { key, credential: await finishRegistration({ ...SITE, response, challenge, usage }) };
}

export function signIn(
  key: SoftwareKey,
  credential: NewCredential,
  {
    prompt = HONEST,
    passwordless = false,
    userId = USER.id,
    edit = (answer) => answer,
  }: {
    prompt?: Prompt;
    passwordless?: boolean;
    userId?: Buffer;
    edit?: (answer: AssertionResponse) => AssertionResponse;
  } = {},
) {
  const { challenge, options } = beginAssertion({ ...SITE, allow: [credential], passwordless });
  const response = assertionResponse.parse(edit(key.assert(options, prompt)));
  return finishAssertion({ ...SITE, response, challenge, credential, userId, passwordless });
}
