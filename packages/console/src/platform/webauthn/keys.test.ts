import type { AssertionOptions, CreationOptions } from '@gatehouse/contract/identity/webauthn';
import { assertionResponse, creationResponse } from '@gatehouse/contract/identity/webauthn';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadWords, t } from '../i18n/words.ts';
import { askKey, askKeyForSession, createKey } from './keys.ts';
import { WebauthnError, webauthnWords } from './webauthn-error.ts';

const bytes = (...values: number[]) => Uint8Array.from(values).buffer;
const container = { create: vi.fn(), get: vi.fn() };

const ASSERT: AssertionOptions = {
  publicKey: {
    challenge: '+/8=',
    rpId: 'localhost',
    allowCredentials: [{ type: 'public-key', id: '+/9/', transports: ['usb'] }],
    userVerification: 'discouraged',
  },
};
const CREATE: CreationOptions = {
  publicKey: {
    challenge: '+/8=',
    rp: { id: 'localhost', name: 'Gatehouse' },
    user: { id: '+/9/', name: 'ann', displayName: 'ann' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { requireResidentKey: false, residentKey: 'discouraged', userVerification: 'discouraged' },
    timeout: 300_000,
    excludeCredentials: [{ type: 'public-key', id: 'AAEC' }],
    attestation: 'none',
  },
};
const KEY = {
  rawId: bytes(0xfb, 0xff, 0x7f, 0),
  type: 'public-key',
  getClientExtensionResults: () => ({}),
};

beforeEach(async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  Object.defineProperty(navigator, 'credentials', { value: container, configurable: true });
  await loadWords(['webauthn']);
});
afterEach(() => {
  vi.unstubAllGlobals();
  container.create.mockReset();
  container.get.mockReset();
});

async function words(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WebauthnError)) throw new Error(`expected a WebauthnError, got ${String(error)}`);
  return webauthnWords(t, error);
}

test('an answer goes out in unpadded base64url and is what the contract takes', async () => {
  container.get.mockResolvedValue({
    ...KEY,
    response: {
      authenticatorData: bytes(1, 2),
      clientDataJSON: bytes(3),
      signature: bytes(0xfb, 0xff),
      userHandle: null,
    },
  });

  const answer = await askKey(ASSERT);

  expect(answer).toEqual({
    id: '-_9_AA',
    rawId: '-_9_AA',
    type: 'public-key',
    extensions: { appid: false },
    response: { authenticatorData: 'AQI', clientDataJSON: 'Aw', signature: '-_8', userHandle: '' },
  });
  expect(assertionResponse.safeParse(answer).success).toBe(true);
  const [{ publicKey }] = container.get.mock.calls[0] as [{ publicKey: PublicKeyCredentialRequestOptions }];
  expect([...new Uint8Array(publicKey.challenge as ArrayBuffer)]).toEqual([0xfb, 0xff]);
  expect(publicKey.allowCredentials?.[0]?.transports).toEqual(['usb']);
});

test('a new key goes out with its transports, and its own user and the known keys come in as bytes', async () => {
  container.create.mockResolvedValue({
    ...KEY,
    response: { attestationObject: bytes(1), clientDataJSON: bytes(2), getTransports: () => ['internal'] },
  });

  const made = await createKey(CREATE);

  expect(creationResponse.safeParse(made).success).toBe(true);
  expect(made.response).toEqual({ attestationObject: 'AQ', clientDataJSON: 'Ag', transports: ['internal'] });
  const [{ publicKey }] = container.create.mock.calls[0] as [{ publicKey: PublicKeyCredentialCreationOptions }];
  expect([...new Uint8Array(publicKey.user.id as ArrayBuffer)]).toEqual([0xfb, 0xff, 0x7f]);
  expect(publicKey.excludeCredentials?.map(({ id }) => [...new Uint8Array(id as ArrayBuffer)])).toEqual([[0, 1, 2]]);
});

test('a browser without WebAuthn is told in the words of the specification', async () => {
  vi.stubGlobal('PublicKeyCredential', undefined);
  const expected =
    'this browser does not support Webauthn required for hardware tokens, please try the latest version of Chrome, Firefox or Safari';

  expect(await words(createKey(CREATE))).toBe(expected);
  expect(await words(askKey(ASSERT))).toBe(expected);
});

test('a browser that gives nothing is told in the words of the specification', async () => {
  container.create.mockResolvedValue(null);
  container.get.mockResolvedValue(null);

  expect(await words(createKey(CREATE))).toBe('error creating credential, please try again');
  expect(await words(askKey(ASSERT))).toBe('error obtaining credential, please try again');
});

test.each([
  ['NotAllowedError', /prompt was closed or took too long/, /prompt was closed or took too long/],
  ['InvalidStateError', /registered for your account already/, /error obtaining credential/],
  ['SecurityError', /do not work at this address/, /do not work at this address/],
  ['UnknownError', /error creating credential/, /error obtaining credential/],
])('%s is said kindly', async (name, creating, asking) => {
  container.create.mockRejectedValue(new DOMException('x', name));
  container.get.mockRejectedValue(new DOMException('x', name));

  expect(await words(createKey(CREATE))).toMatch(creating);
  expect(await words(askKey(ASSERT))).toMatch(asking);
});

test('a session is given no answer to a challenge that would sign in', async () => {
  expect(await words(askKeyForSession(ASSERT))).toContain('something else than open this session');
  expect(container.get).not.toHaveBeenCalled();

  container.get.mockResolvedValue(null);
  const challenge = btoa(`signed-in${'r'.repeat(32)}`);
  const asked = askKeyForSession({ publicKey: { ...ASSERT.publicKey, challenge } });
  expect(await words(asked)).toBe('error obtaining credential, please try again');
  expect(container.get).toHaveBeenCalledOnce();
});
