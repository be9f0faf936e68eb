/** A provider, or somebody in its place, that lies: nothing of it becomes an identity. */
import {
  CLIENT,
  oidcConnector,
  providerDeps,
  signInAt,
  testClock,
} from '@gatehouse/gateway/testing/connectors/oidc-connector';
import {
  type HostileProvider,
  type Lies,
  startHostileProvider,
} from '@gatehouse/gateway/testing/connectors/oidc-hostile';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLogoutToken } from './logout-token.ts';
import { oidcProvider } from './oidc-provider.ts';

let provider: HostileProvider;
beforeAll(async () => {
  provider = await startHostileProvider(CLIENT);
});
afterAll(async () => await provider.close());
beforeEach(() => {
  provider.lies = {};
});

const signIn = (spec?: Record<string, unknown>) => signInAt(providerDeps(), oidcConnector(provider.issuer, spec));
const seconds = () => Math.floor(Date.now() / 1000);

test('without a lie it is believed', async () => {
  expect(await signIn()).toMatchObject({ subject: 'subject-1', username: 'ann@acme.example' });
  expect(provider.exchanged.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
});

describe('ID tokens', () => {
  const wrong: [string, string, Lies][] = [
    ['of another issuer', '"iss"', { idToken: (truth) => ({ ...truth, iss: 'https://evil.example' }) }],
    ['with another nonce', 'unexpected ID Token "nonce"', { idToken: (truth) => ({ ...truth, nonce: 'stolen' }) }],
    ['without a nonce', '"nonce" (nonce) claim missing', { idToken: ({ nonce: _, ...truth }) => truth }],
    ['for another application', '"aud"', { idToken: (truth) => ({ ...truth, aud: 'other' }) }],
    [
      'for several, made for another',
      '"azp"',
      { idToken: (truth) => ({ ...truth, aud: [CLIENT, 'other'], azp: 'other' }) },
    ],
    [
      'for several, not saying for which',
      'untrusted audiences',
      { idToken: (truth) => ({ ...truth, aud: [CLIENT, 'other'] }) },
    ],
    ['for us alone, made for another', "made for 'other'", { idToken: (truth) => ({ ...truth, azp: 'other' }) }],
    ['that ran out', 'expiration is past', { idToken: (truth) => ({ ...truth, exp: seconds() - 31 }) }],
    ['that never run out', '"exp" (expiration time) claim missing', { idToken: ({ exp: _, ...truth }) => truth }],
    [
      'that are old',
      'too far in the past',
      { idToken: (truth) => ({ ...truth, iat: seconds() - 640, exp: seconds() + 900 }) },
    ],
    [
      'of the future',
      'should be in the past',
      { idToken: (truth) => ({ ...truth, iat: seconds() + 40, exp: seconds() + 900 }) },
    ],
    ['that do not count yet', '"nbf"', { idToken: (truth) => ({ ...truth, nbf: seconds() + 60 }) }],
    ['without a subject', '"sub" (subject) claim missing', { idToken: ({ sub: _, ...truth }) => truth }],
    ['with an endless subject', 'printable characters', { idToken: (truth) => ({ ...truth, sub: 'x'.repeat(256) }) }],
    [
      'with a subject that does not print',
      'printable characters',
      { idToken: (truth) => ({ ...truth, sub: 'subject-1\u202e' }) },
    ],
    ['signed with nothing', '"alg"', { algorithm: 'none' }],
    ['signed with the public key as a secret', '"alg"', { algorithm: 'HS256' }],
    ['signed by RS512', '"alg"', { algorithm: 'RS512' }],
    ['signed with a key of somebody else', 'signature verification failed', { foreignKey: true }],
    ['that are none', 'not correctly encoded', { tokens: (truth) => ({ ...truth, id_token: 'a.b.c' }) }],
    ['that are missing', '"id_token"', { tokens: ({ id_token: _, ...truth }) => truth }],
    [
      'that are encrypted',
      'decryption is not configured',
      { tokens: (truth) => ({ ...truth, id_token: 'a.b.c.d.e' }) },
    ],
  ];
  test.each(wrong)('%s are refused: %s', async (_, words, lies) => {
    provider.lies = lies;

    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError', message: expect.stringContaining(words) });
  });

  test.each<[string, boolean, NonNullable<Lies['idToken']>]>([
    ['of the future', true, (truth) => ({ ...truth, iat: seconds() + 40, exp: seconds() + 900 })],
    ['that ran out', true, (truth) => ({ ...truth, exp: seconds() - 31 })],
    ['that never run out', false, ({ exp: _, ...truth }) => truth],
  ])('one %s tells to compare the clocks: %s', async (_, isOfTime, idToken) => {
    provider.lies = { idToken };
    const said = await signIn().then(String, ({ message }: Error) => message);

    expect(said.endsWith(': compare the clocks')).toBe(isOfTime);
  });

  test.each([
    ['just ran out', { exp: () => seconds() - 20 }],
    ['comes from a clock that is ahead', { iat: () => seconds() + 20 }],
  ])('one that %s is taken: clocks differ', async (_, over) => {
    provider.lies = {
      idToken: (truth) => ({ ...truth, ...Object.fromEntries(Object.entries(over).map(([name, at]) => [name, at()])) }),
    };

    expect(await signIn()).toMatchObject({ subject: 'subject-1' });
  });

  test.each(['PS256', 'ES256', 'EdDSA'] as const)(
    '%s is taken, also with a key that has no name',
    async (algorithm) => {
      provider.lies = { algorithm, noKeyId: true };

      expect(await signIn()).toMatchObject({ subject: 'subject-1' });
    },
  );

  test('the clock is that of the gateway', async () => {
    const clock = testClock();
    clock.pass(20 * 60_000);

    await expect(signInAt(providerDeps(clock), oidcConnector(provider.issuer))).rejects.toMatchObject({
      step: 'token',
    });
  });

  test('new keys are found when the provider changes them, and asked for at most every half a minute', async () => {
    const clock = testClock();
    const deps = providerDeps(clock);
    const connector = oidcConnector(provider.issuer);
    await signInAt(deps, connector);
    clock.pass(31_000);
    await provider.rotateKeys();
    provider.lies = { idToken: (truth) => ({ ...truth, iat: seconds() + 31 }) };
    expect(await signInAt(deps, connector)).toMatchObject({ subject: 'subject-1' });

    const asked = provider.asked.get('/jwks');
    for (let round = 0; round < 5; round++) {
      const token = await provider.sign({}, { kid: `invented-${round}` });
      await expect(readLogoutToken(deps, connector, token)).rejects.toMatchObject({ step: 'token' });
    }
    expect(provider.asked.get('/jwks')).toBe(asked);
  });
});

describe('what the browser brings', () => {
  const forged: [string, Lies['answer']][] = [
    ['another state', (truth) => ({ ...truth, state: 'stolen' })],
    ['no state', ({ code, iss }) => ({ code: code!, iss: iss! })],
    ['the name of another provider (mix-up)', (truth) => ({ ...truth, iss: 'https://evil.example' })],
    ['no name of the provider, where it is announced', ({ code, state }) => ({ code: code!, state: state! })],
    ['a token beside the code', (truth) => ({ ...truth, id_token: 'a.b.c' })],
    ['an encrypted answer', (truth) => ({ ...truth, response: 'a.b.c' })],
  ];
  test.each(forged)('%s is refused before the provider is asked', async (_, answer) => {
    provider.lies = { answer: answer! };
    const before = provider.exchanged.length;

    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
    expect(provider.exchanged).toHaveLength(before);
  });

  test('what is said twice is refused', async () => {
    const twice = signInAt(providerDeps(), oidcConnector(provider.issuer), {
      change: (fields) => ({ ...fields, state: [fields.state, 'other'] }),
    });

    await expect(twice).rejects.toMatchObject({ name: 'ProviderError' });
  });

  test('an error of the provider is told, without what does not print', async () => {
    provider.lies = {
      answer: ({ state, iss }) => ({
        state: state!,
        iss: iss!,
        error: 'access_denied',
        error_description: 'no\n\u202eway',
      }),
    };

    await expect(signIn()).rejects.toMatchObject({
      step: 'redirect',
      message: "the provider says 'access_denied' (no way): they declined, or may not use this application",
    });
  });

  test('an answer to nothing that was kept is refused', async () => {
    const request = {
      fields: { code: 'x', state: 's' },
      callback: 'https://gate.example/x',
      state: 's',
      kept: {},
      client: '192.0.2.1',
    };

    await expect(oidcProvider.answer(providerDeps(), oidcConnector(provider.issuer), request)).rejects.toMatchObject({
      step: 'redirect',
    });
  });
});

describe('what it says of them', () => {
  test('userinfo of somebody else is refused', async () => {
    provider.lies = { userinfo: (truth) => ({ ...truth, sub: 'the-administrator' }) };

    await expect(signIn()).rejects.toMatchObject({ step: 'identity' });
  });

  test.each([
    ['acr_values', { acr_values: 'gold' }, {}, 'answers with no acr, where gold is asked for'],
    ['acr_values', { acr_values: 'gold' }, { acr: 'tin' }, "answers with acr 'tin', where gold is asked for"],
    ['max_age', { max_age: '5m' }, {}, 'auth_time'],
    ['max_age', { max_age: '5m' }, { auth_time: 1 }, 'too much time has elapsed'],
  ])('%s cannot be taken out of the address by whoever signs in', async (_, spec, claims, words) => {
    provider.lies = { idToken: (truth) => ({ ...truth, ...claims }) };

    await expect(signIn(spec)).rejects.toThrow(words);
  });

  test('what was asked for counts when it is answered, and a second factor is believed', async () => {
    provider.lies = { idToken: (truth) => ({ ...truth, acr: 'gold', amr: ['pwd', 'otp'], auth_time: seconds() }) };

    expect(await signIn({ acr_values: 'silver gold', max_age: '5m' })).toMatchObject({ mfa: true });
  });

  test.each([
    ['an hour to come', () => seconds() + 3_600, 'which is to come: compare the clocks'],
    ['no time at all', () => 1e300, 'which is to come'],
  ])('a sign-in of %s is refused', async (_, auth_time, words) => {
    provider.lies = { idToken: (truth) => ({ ...truth, auth_time: auth_time() }) };

    await expect(signIn()).rejects.toThrow(words);
  });

  test('claims called like parts of objects are claims, and change nothing', async () => {
    provider.lies = {
      raw: {
        '/userinfo': {
          body: '{"sub":"subject-1","email":"ann@acme.example","email_verified":true,"__proto__":{"polluted":"yes"},"constructor":["x"]}',
        },
      },
    };
    const { claims } = await signIn();

    expect(claims.get('__proto__.polluted')).toEqual(['yes']);
    expect(claims.get('constructor')).toEqual(['x']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('nearly 1 MiB of claims is taken, more is refused', async () => {
    const groups = (count: number) => Array.from({ length: count }, (_, at) => `group-${String(at).padStart(24, '0')}`);
    provider.lies = { userinfo: (truth) => ({ ...truth, groups: groups(25_000) }) };
    expect((await signIn()).claims.get('groups')).toHaveLength(25_000);

    provider.lies = { userinfo: (truth) => ({ ...truth, groups: groups(60_000) }) };
    await expect(signIn()).rejects.toThrow('more than 1 MiB');
  });

  test('words of errors hold no token', async () => {
    provider.lies = { tokens: (truth) => ({ ...truth, access_token: 'secret-access', token_type: 'strange' }) };
    const error = await signIn().catch((caught: unknown) => caught);

    expect(error).toMatchObject({ name: 'ProviderError', cause: undefined });
    expect(String(error)).not.toContain('secret-access');
  });
});

describe('asking again', () => {
  const again = async (lies: Lies) => {
    const deps = providerDeps();
    const connector = oidcConnector(provider.issuer);
    provider.lies = { idToken: (truth) => ({ ...truth, groups: ['admins'], amr: ['mfa'] }) };
    const { tokens } = await signInAt(deps, connector);
    provider.lies = lies;
    return await oidcProvider.recheck!(deps, connector, tokens!);
  };

  test('claims of the ID token alone stay where it is not renewed, and that is said', async () => {
    const heard = await again({ tokens: ({ id_token: _, ...truth }) => truth });

    expect(heard).toMatchObject({ state: 'confirmed', notes: [expect.stringContaining('renews no ID token')] });
    expect(heard.state === 'confirmed' && heard.claims.get('groups')).toEqual(['admins']);
  });

  test('where it is renewed, what is gone from it is gone; how they signed in is not', async () => {
    const heard = await again({});

    expect(heard.state === 'confirmed' && heard.claims.has('groups')).toBe(false);
    expect(heard.state === 'confirmed' && heard.claims.get('amr')).toEqual(['mfa']);
  });

  test.each([
    ['the ID token of somebody else', { idToken: (truth) => ({ ...truth, sub: 'other' }) }],
    ['userinfo of somebody else', { userinfo: (truth) => ({ ...truth, sub: 'other' }) }],
    ['a signature of somebody else', { foreignKey: true }],
  ] satisfies [string, Lies][])('%s is no answer', async (_, lies) => {
    expect(await again(lies)).toMatchObject({ state: 'unanswered' });
  });
});

describe('logout tokens', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  const truth = () => ({
    iss: provider.issuer,
    aud: CLIENT,
    iat: seconds(),
    exp: seconds() + 120,
    jti: 'one',
    sub: 'subject-1',
    sid: 'session-1',
    events: { [EVENT]: {} },
  });
  const read = async (claims: object, header: Record<string, unknown> = { typ: 'logout+jwt' }) =>
    await readLogoutToken(providerDeps(), oidcConnector(provider.issuer), await provider.sign({ ...claims }, header));

  test('tell who signed out, and until when they could be sent again', async () => {
    const claims = truth();

    expect(await read(claims)).toEqual({
      subject: 'subject-1',
      providerSession: 'session-1',
      jti: 'one',
      expires: (claims.iat + 630) * 1000,
    });
  });

  test.each([
    ['only the person', ({ sid: _, ...claims }: ReturnType<typeof truth>) => claims],
    ['only the session', ({ sub: _, ...claims }: ReturnType<typeof truth>) => claims],
    ['no exp, as before the final text', ({ exp: _, ...claims }: ReturnType<typeof truth>) => claims],
  ])('with %s are taken', async (_, change) => {
    expect(await read(change(truth()))).toMatchObject({ jti: 'one' });
    expect(await read(change(truth()), {})).toMatchObject({ jti: 'one' });
  });

  test.each([
    ['a nonce', { nonce: 'n' }],
    ['no event', { events: {} }],
    ['another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['an event that is no object', { events: { [EVENT]: 'yes' } }],
    ['no jti', { jti: undefined }],
    ['no iat', { iat: undefined }],
    ['neither person nor session', { sub: undefined, sid: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another application', { aud: 'other' }],
    ['an end that has come', { exp: 1 }],
    ['an age of a quarter of an hour', { iat: 1, exp: undefined }],
    ['a subject that is none', { sub: 7 }],
  ])('with %s are refused', async (_, over) => {
    await expect(read({ ...truth(), ...over })).rejects.toMatchObject({ name: 'ProviderError', step: 'token' });
  });

  test.each(['none', 'HS256', 'RS512'] as const)('signed with %s are refused', async (algorithm) => {
    provider.lies = { algorithm };

    await expect(read(truth())).rejects.toMatchObject({ step: 'token' });
  });

  test('of another kind of token, or signed by somebody else, are refused', async () => {
    await expect(read(truth(), { typ: 'at+jwt' })).rejects.toThrow('not a logout token');
    provider.lies = { foreignKey: true };
    await expect(read(truth())).rejects.toMatchObject({ step: 'token' });
  });
});
