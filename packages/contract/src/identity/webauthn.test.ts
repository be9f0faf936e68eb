import { expect, test } from 'vitest';
import { assertionResponse, authenticateChallenge, creationResponse, registerChallenge } from './webauthn.ts';

const ASSERTION = {
  id: 'AAEC_-',
  rawId: 'AAEC_-',
  type: 'public-key',
  extensions: { appid: false },
  response: { authenticatorData: 'AAEC', clientDataJSON: 'e30', signature: 'MAA', userHandle: 'YW5u' },
};
const CREATION = {
  id: 'AAEC_-',
  rawId: 'AAEC_-',
  type: 'public-key',
  extensions: { appid: false },
  response: { attestationObject: 'oA', clientDataJSON: 'e30' },
};

test('answers travel under the names of the wire', () => {
  expect(assertionResponse.parse(ASSERTION)).toEqual(ASSERTION);
  expect(creationResponse.parse(CREATION)).toEqual(CREATION);
});

test('what browsers add by themselves is left out, not refused', () => {
  const more = { authenticatorAttachment: 'platform', clientExtensionResults: {} };

  expect(assertionResponse.parse({ ...ASSERTION, ...more })).toEqual(ASSERTION);
  expect(creationResponse.parse({ ...CREATION, ...more })).toEqual(CREATION);
});

test.each([[''], [null], [undefined]])('a key that stores no user may say so by %j', (userHandle) => {
  const answer = { ...ASSERTION, response: { ...ASSERTION.response, userHandle } };

  expect(assertionResponse.safeParse(answer).success).toBe(true);
});

test.each([
  ['padded', 'AAE='],
  ['in the standard alphabet', 'AAEC+/'],
  ['cut inside a byte', 'AAECA'],
  ['empty', ''],
  ['followed by a line break', 'AAEC\n'],
  ['endless', 'A'.repeat(40_000)],
  ['a number', 7],
  ['missing', undefined],
])('bytes that are %s are refused in every field', (_, text) => {
  const creationFields = ['attestationObject', 'clientDataJSON'];
  const assertionFields = ['authenticatorData', 'clientDataJSON', 'signature'];
  const results = [
    ...['id', 'rawId'].map((field) => assertionResponse.safeParse({ ...ASSERTION, [field]: text })),
    ...['id', 'rawId'].map((field) => creationResponse.safeParse({ ...CREATION, [field]: text })),
    ...assertionFields.map((field) =>
      assertionResponse.safeParse({ ...ASSERTION, response: { ...ASSERTION.response, [field]: text } }),
    ),
    ...creationFields.map((field) =>
      creationResponse.safeParse({ ...CREATION, response: { ...CREATION.response, [field]: text } }),
    ),
  ];

  expect(results.map(({ success }) => success)).toEqual(results.map(() => false));
});

test('another type of credential is refused', () => {
  expect(assertionResponse.safeParse({ ...ASSERTION, type: 'password' }).success).toBe(false);
  expect(creationResponse.safeParse({ ...CREATION, type: 'password' }).success).toBe(false);
});

test('challenges travel under their two different names, each half of them optional', () => {
  const publicKey = { challenge: '+/8=', rpId: 'gate.example.com', timeout: 300_000, userVerification: 'required' };
  const full = { webauthn_challenge: { publicKey }, totp_challenge: true };
  const none = { webauthn_challenge: null, totp_challenge: false };
  const scan = { webauthn: null, totp: { qrCode: 'iVBORw0KGgo=' } };

  expect(authenticateChallenge.parse(full)).toEqual(full);
  expect(authenticateChallenge.parse(none)).toEqual(none);
  expect(registerChallenge.parse(scan)).toEqual(scan);
  expect(registerChallenge.safeParse({ webauthn_challenge: null, totp: null }).success).toBe(false);
});
