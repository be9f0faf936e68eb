import { randomBytes } from 'node:crypto';
import { type AssertionResponse, assertionOptions } from '@gatehouse/contract/identity/webauthn';
import { expect, test } from 'vitest';
import { HONEST, registered, SITE, signIn, USER } from '../../../testing/key-ceremony.ts';
import { createSoftwareKey, type Prompt } from '../../../testing/software-key.ts';
import { beginAssertion, credentialIdOf, finishAssertion, userHandleOf } from './webauthn.ts';

test('a second factor is asked for by name, a passkey never', () => {
  const allow = [{ credentialId: 'AAEC', transports: [] }];

  const second = beginAssertion({ ...SITE, allow, passwordless: false });
  const passkey = beginAssertion({ ...SITE, allow, passwordless: true });

  expect(assertionOptions.parse(second.options)).toEqual(second.options);
  expect(second.options.publicKey).toEqual({
    challenge: Buffer.from(second.challenge, 'base64url').toString('base64'),
    timeout: 300_000,
    rpId: 'gate.example.com',
    allowCredentials: [{ type: 'public-key', id: 'AAEC' }],
    userVerification: 'discouraged',
  });
  expect(passkey.options.publicKey).toEqual({
    challenge: expect.any(String),
    timeout: 300_000,
    rpId: 'gate.example.com',
    userVerification: 'required',
  });
});

test('a second factor signs in without PIN, and says so', async () => {
  const { key, credential } = await registered('mfa', { prompt: { ...HONEST, userVerified: false } });

  expect(await signIn(key, credential, { prompt: { ...HONEST, userVerified: false } })).toEqual({
    newCounter: 2,
    userVerified: false,
    backedUp: false,
  });
});

test('a passkey signs in and says whose it is', async () => {
  const { key, credential } = await registered('passwordless');
  const { challenge, options } = beginAssertion({ ...SITE, passwordless: true });
  const response = key.assert(options, HONEST);

  expect(userHandleOf(response)).toEqual(USER.id);
  expect(credentialIdOf(response)).toBe(credential.credentialId);
  const finished = finishAssertion({ ...SITE, response, challenge, credential, userId: USER.id, passwordless: true });
  await expect(finished).resolves.toMatchObject({ newCounter: 2, userVerified: true });
});

test('a passkey without PIN, fingerprint or face is refused', async () => {
  const { key, credential } = await registered('passwordless');
  const prompt = { ...HONEST, userVerified: false };

  await refuses(signIn(key, credential, { passwordless: true, prompt }), /PIN, a fingerprint or a face/);
  await expect(signIn(key, credential, { prompt })).resolves.toMatchObject({ userVerified: false });
});

test('a key that stores no user cannot sign in without a password', async () => {
  const { key, credential } = await registered('mfa');

  await refuses(signIn(key, credential, { passwordless: true }), /not registered for this account/);
});

test.each([
  ['another user', randomBytes(32).toString('base64url')],
  ['the beginning of the user', USER.id.subarray(0, 31).toString('base64url')],
])('a user handle of %s is refused, with and without password', async (_, userHandle) => {
  const { key, credential } = await registered('passwordless');
  const edit = (answer: AssertionResponse) => ({ ...answer, response: { ...answer.response, userHandle } });

  await refuses(signIn(key, credential, { passwordless: true, edit }), /not registered for this account/);
  await refuses(signIn(key, credential, { edit }), /not registered for this account/);
});

test('a user without handle is not everybody without handle', async () => {
  const { key, credential } = await registered('mfa');

  await refuses(
    signIn(key, credential, { passwordless: true, userId: Buffer.alloc(0) }),
    /not registered for this account/,
  );
});

test.each<[string, Partial<Prompt>, RegExp]>([
  ['another challenge', { challenge: randomBytes(32) }, /expired or was answered already/],
  ['no challenge', { challenge: Buffer.alloc(0) }, /expired or was answered already/],
  ['another origin', { origin: 'https://gate.example.com.evil.com' }, /another address/],
  ['another site', { rpId: 'example.com' }, /another site/],
  ['a frame of another site', { clientData: { crossOrigin: true } }, /inside a page of another site/],
  ['a registration instead', { type: 'webauthn.create' }, /could not be understood/],
  ['no touch', { userPresent: false }, /not touched/],
])('an answer with %s is refused', async (_, lie, words) => {
  const { key, credential } = await registered('mfa');

  await refuses(signIn(key, credential, { prompt: { ...HONEST, ...lie } }), words);
});

test('an answer does not serve a second challenge', async () => {
  const { key, credential } = await registered('mfa');
  const answer = key.assert(beginAssertion({ ...SITE, passwordless: false }).options, HONEST);

  await refuses(signIn(key, credential, { edit: () => answer }), /expired or was answered already/);
});

test('a challenge that was never stored accepts nothing', async () => {
  const { key, credential } = await registered('mfa');
  const { options } = beginAssertion({ ...SITE, passwordless: false });
  const response = key.assert(options, { ...HONEST, challenge: Buffer.alloc(0) });
  const given = { ...SITE, response, credential, userId: USER.id, passwordless: false };

  await refuses(finishAssertion({ ...given, challenge: '' }), /expired/);
  await refuses(finishAssertion({ ...given, challenge: undefined as unknown as string }), /expired/);
});

test('another key does not open this account, under its own id or this one', async () => {
  const { credential } = await registered('mfa');
  const stranger = createSoftwareKey();
  const imposter = createSoftwareKey({ id: Buffer.from(credential.credentialId, 'base64url') });

  await refuses(signIn(stranger, credential), /not registered for this account/);
  await refuses(signIn(imposter, credential), /not valid/);
});

test('changing any byte of what was signed, or of the signature, refuses', async () => {
  const { key, credential } = await registered('mfa');
  const { challenge, options } = beginAssertion({ ...SITE, passwordless: false });
  const honest = key.assert(options, HONEST);
  const given = { ...SITE, challenge, credential, userId: USER.id, passwordless: false };

  for (const field of ['authenticatorData', 'clientDataJSON', 'signature'] as const) {
    const bytes = Buffer.from(honest.response[field], 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      // The outer length of DER is no part of the signature's two numbers, and the library may read past a short one.
      if (field === 'signature' && at === 1) continue;
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      const response = { ...honest, response: { ...honest.response, [field]: changed.toString('base64url') } };
      await refuses(finishAssertion({ ...given, response }), /./);
    }
  }
  await expect(finishAssertion({ ...given, response: honest })).resolves.toMatchObject({ newCounter: 2 });
});

test('a counter that stands still or goes back is the mark of a copied key', async () => {
  const { key, credential } = await registered('mfa', { prompt: { ...HONEST, counter: 5 } });

  for (const counter of [5, 4, 0]) {
    await refuses(signIn(key, credential, { prompt: { ...HONEST, counter } }), /may have been copied/);
  }
  await expect(signIn(key, credential, { prompt: { ...HONEST, counter: 6 } })).resolves.toMatchObject({
    newCounter: 6,
  });
});

test('a key that never counts is not taken for a copied one', async () => {
  const { key, credential } = await registered('mfa', { prompt: { ...HONEST, counter: 0 } });

  const again = await signIn(key, credential, { prompt: { ...HONEST, counter: 0 } });

  expect(again.newCounter).toBe(0);
});

test('who does not hold the key cannot raise the alarm of a copied one', async () => {
  const { credential } = await registered('mfa', { prompt: { ...HONEST, counter: 5 } });
  const imposter = createSoftwareKey({ id: Buffer.from(credential.credentialId, 'base64url') });

  await refuses(signIn(imposter, credential, { prompt: { ...HONEST, counter: 1 } }), /not valid/);
});

test('one id has one spelling, however the client writes it', () => {
  expect(credentialIdOf({ rawId: 'AAB' })).toBe(credentialIdOf({ rawId: 'AAA' }));
});

/** Refused on purpose, in words for people that give nothing away. */
async function refuses(finished: Promise<unknown>, words: RegExp): Promise<void> {
  const error: unknown = await finished.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'AppError', code: 'bad_request', message: expect.stringMatching(words) });
}
