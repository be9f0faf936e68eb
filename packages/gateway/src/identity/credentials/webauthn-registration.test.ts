import { randomBytes } from 'node:crypto';
import { type CreationResponse, creationOptions } from '@gatehouse/contract/identity/webauthn';
import { expect, test } from 'vitest';
import { begin, HONEST, registered, SITE, signIn, USER } from '../../../testing/key-ceremony.ts';
import { cbor, createSoftwareKey, type Prompt } from '../../../testing/software-key.ts';
import { beginRegistration, finishRegistration } from './webauthn.ts';

test('a second factor may be any key, without storing anything in it', () => {
  const { challenge, options } = begin('mfa');

  expect(creationOptions.parse(options)).toEqual(options);
  expect(options.publicKey).toEqual({
    challenge: Buffer.from(challenge, 'base64url').toString('base64'),
    rp: { id: 'gate.example.com', name: 'Gatehouse' },
    user: { id: USER.id.toString('base64'), name: 'ann', displayName: 'ann' },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: {
      requireResidentKey: false,
      residentKey: 'discouraged',
      userVerification: 'discouraged',
    },
    timeout: 300_000,
    excludeCredentials: [],
    attestation: 'none',
  });
});

test('a passkey must be stored in the key and ask for a PIN, a fingerprint or a face', () => {
  expect(begin('passwordless').options.publicKey.authenticatorSelection).toEqual({
    requireResidentKey: true,
    residentKey: 'required',
    userVerification: 'required',
  });
});

test('challenges have 32 random bytes and leave in standard base64', () => {
  const challenges = Array.from({ length: 50 }, () => begin('mfa'));

  expect(new Set(challenges.map(({ challenge }) => challenge)).size).toBe(50);
  for (const { challenge, options } of challenges) {
    expect(Buffer.from(challenge, 'base64url')).toHaveLength(32);
    expect(options.publicKey.challenge).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  }
});

test('keys already registered are named in standard base64, so that none is registered twice', () => {
  const id = Buffer.from('fbff3e', 'hex');
  const exclude = [{ credentialId: id.toString('base64url'), transports: ['usb'] }];

  const { options } = beginRegistration({ ...SITE, rpName: 'Gatehouse', user: USER, usage: 'mfa', exclude });

  expect(options.publicKey.excludeCredentials).toEqual([{ type: 'public-key', id: '+/8+', transports: ['usb'] }]);
});

test.each(['ES256', 'EdDSA', 'RS256'] as const)('a key of %s registers and signs in', async (algorithm) => {
  const { key, credential } = await registered('mfa', { algorithm });

  expect(credential).toEqual({
    credentialId: key.credentialId,
    publicKey: expect.any(Uint8Array),
    counter: 1,
    transports: [],
    aaguid: '00000000-0000-0000-0000-000000000000',
    backedUp: false,
    userVerified: true,
  });
  expect(await signIn(key, credential)).toEqual({ newCounter: 2, userVerified: true, backedUp: false });
});

test('what the console says about the key’s connection is kept', async () => {
  const { credential } = await registered('mfa', {
    edit: (answer) => ({ ...answer, response: { ...answer.response, transports: ['usb', 'nfc'] } }),
  });

  expect(credential.transports).toEqual(['usb', 'nfc']);
});

test('a second factor registers without PIN, a passkey does not', async () => {
  const prompt = { ...HONEST, userVerified: false };

  expect((await registered('mfa', { prompt })).credential.userVerified).toBe(false);
  await refuses(registered('passwordless', { prompt }), /PIN, a fingerprint or a face/);
});

test('a statement about the maker is left unread, even a forged one', async () => {
  const attestation = { fmt: 'packed', attStmt: new Map([['x5c', [randomBytes(40)]]]) };

  const { key, credential } = await registered('mfa', { prompt: { ...HONEST, attestation } });

  expect(await signIn(key, credential)).toMatchObject({ newCounter: 2 });
});

test.each<[string, Partial<Prompt>, RegExp]>([
  ['another challenge', { challenge: randomBytes(32) }, /expired or was answered already/],
  ['no challenge', { challenge: Buffer.alloc(0) }, /expired or was answered already/],
  ['another origin', { origin: 'https://evil.example.com' }, /another address/],
  ['plain http', { origin: 'http://gate.example.com' }, /another address/],
  ['another port', { origin: 'https://gate.example.com:8443' }, /another address/],
  ['another site', { rpId: 'evil.example.com' }, /another site/],
  ['a frame of another site', { clientData: { crossOrigin: true } }, /inside a page of another site/],
  ['a named frame', { clientData: { topOrigin: 'https://evil.example.com' } }, /inside a page of another site/],
  ['a sign-in instead', { type: 'webauthn.get' }, /could not be understood/],
  ['no touch', { userPresent: false }, /not touched/],
])('an answer with %s is refused', async (_, lie, words) => {
  await refuses(registered('mfa', { prompt: { ...HONEST, ...lie } }), words);
});

test('a key of an algorithm that was not offered is refused', async () => {
  await refuses(registered('mfa', { algorithm: 'ES384' }), /could not be understood/);
});

test('an answer whose id is not the one of the key is refused', async () => {
  const other = randomBytes(32).toString('base64url');

  await refuses(registered('mfa', { edit: (answer) => ({ ...answer, id: other, rawId: other }) }), /not valid/);
  await refuses(registered('mfa', { edit: (answer) => ({ ...answer, id: other }) }), /could not be understood/);
});

test.each<[string, Buffer]>([
  ['nothing but a number', cbor(7)],
  ['no authenticator data', cbor(new Map([['fmt', 'none']]))],
  ['authenticator data of a few bytes', cbor(new Map([['authData', Buffer.alloc(36)]]))],
  ['text for authenticator data', cbor(new Map([['authData', 'x'.repeat(64)]]))],
  ['a map that promises more than comes', Buffer.from('bb7fffffffffffffff', 'hex')],
  ['a thousand lists in each other', Buffer.alloc(20_000, 0x81)],
  ['a cut tail', cbor(new Map([['authData', Buffer.alloc(200)]])).subarray(0, 30)],
])('an attestation object of %s is refused', async (_, bytes) => {
  const edit = (answer: CreationResponse) => ({
    ...answer,
    response: { ...answer.response, attestationObject: bytes.toString('base64url') },
  });

  await refuses(registered('mfa', { edit }), /could not be understood/);
});

test('one answer serves one challenge: it does not fit the next', async () => {
  const key = createSoftwareKey();
  const answer = key.register(begin('mfa').options, HONEST);

  await refuses(
    finishRegistration({ ...SITE, response: answer, challenge: begin('mfa').challenge, usage: 'mfa' }),
    /expired or was answered already/,
  );
});

test('a challenge that was never stored accepts nothing', async () => {
  const answer = createSoftwareKey().register(begin('mfa').options, { ...HONEST, challenge: Buffer.alloc(0) });

  await refuses(finishRegistration({ ...SITE, response: answer, challenge: '', usage: 'mfa' }), /expired/);
});

test('a site without a name or without origins accepts nothing', async () => {
  const { challenge, options } = begin('mfa');
  const response = createSoftwareKey().register(options, { ...HONEST, rpId: '' });

  await refuses(finishRegistration({ ...SITE, rpId: '', response, challenge, usage: 'mfa' }), /another site/);
  await refuses(finishRegistration({ ...SITE, origins: [], response, challenge, usage: 'mfa' }), /another address/);
});

/** Refused on purpose, in words for people that give nothing away. */
async function refuses(finished: Promise<unknown>, words: RegExp): Promise<void> {
  const error: unknown = await finished.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'AppError', code: 'bad_request', message: expect.stringMatching(words) });
}
