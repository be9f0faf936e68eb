import { expect, test } from 'vitest';
import { createProviderRecall } from '../provider-memory.ts';
import { discover } from './discover.ts';

const ISSUER = 'https://id.acme.example/realms/one';
const TRUTH = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};
const memoryOf = (text: string, asked: string[] = []) =>
  createProviderRecall({
    now: () => 0,
    fetch: async (url) => {
      asked.push(String(url));
      return new Response(text);
    },
  });
const found = (said: unknown, issuer = ISSUER) => discover(memoryOf(JSON.stringify(said)), issuer);

test('settings are asked for below the issuer, and told', async () => {
  const asked: string[] = [];
  const said = JSON.stringify({ ...TRUTH, mtls_endpoint_aliases: { token_endpoint: 'https://else' } });
  const { settings, words } = await discover(memoryOf(said, asked), ISSUER);

  expect(asked).toEqual([`${ISSUER}/.well-known/openid-configuration`]);
  expect(words).toBe(`found 5 settings at ${ISSUER}/.well-known/openid-configuration`);
  expect(settings).not.toHaveProperty('mtls_endpoint_aliases');
});

test.each([
  'https://id.acme.example/realms/two',
  `${ISSUER}/`,
  'https://ID.acme.example/realms/one',
  'https://id.acme.example:443/realms/one',
])('a provider that calls itself %s is another one', async (issuer) => {
  await expect(found({ ...TRUTH, issuer })).rejects.toThrow(`calls itself '${issuer}': write issuer_url exactly so`);
});

// Both have one page, which is read once for both.
test('settings that were read for an issuer are not those of the one with a slash behind it', async () => {
  const memory = memoryOf(JSON.stringify(TRUTH));
  const settings = await discover(memory, ISSUER);

  await expect(discover(memory, `${ISSUER}/`)).rejects.toThrow(`calls itself '${ISSUER}'`);
  expect(await discover(memory, ISSUER)).toBe(settings);
});

test('the address of all tenants is told to be none', async () => {
  await expect(found({ ...TRUTH, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' })).rejects.toThrow(
    "write the address with your tenant's own id",
  );
});

test.each([
  ['authorization_endpoint', 'http://id.acme.example/authorize'],
  ['authorization_endpoint', 'javascript:alert(1)'],
  ['token_endpoint', 'http://127.0.0.1/token'],
  ['token_endpoint', 'https://localhost/token'],
  ['jwks_uri', 'file:///etc/passwd'],
  ['userinfo_endpoint', 'https://ann:secret@id.acme.example/'],
  ['end_session_endpoint', 'data:text/html,x'],
])('%s may not be %s', async (name, address) => {
  await expect(found({ ...TRUTH, [name]: address })).rejects.toMatchObject({ step: 'discovery' });
});

test('on this machine, for trying, everything may be plain', async () => {
  const issuer = 'http://localhost:8080';
  const plain = Object.fromEntries(Object.entries(TRUTH).map(([name, at]) => [name, at.replace(ISSUER, issuer)]));

  expect((await found(plain, issuer)).settings.issuer).toBe(issuer);
});

test.each([
  [null],
  [[]],
  ['text'],
  [{}],
  [{ ...TRUTH, token_endpoint: 7 }],
  [{ ...TRUTH, scopes_supported: 'openid' }],
])('settings such as %j cannot be used', async (said) => {
  await expect(found(said)).rejects.toMatchObject({ step: 'discovery' });
});

test('claims that are announced in no way we know keep nobody out', async () => {
  const announced = async (said: unknown) =>
    (await found({ ...TRUTH, claims_supported: said })).settings.claims_supported;

  expect(await announced(['sub', 'auth_time'])).toEqual(['sub', 'auth_time']);
  for (const said of ['auth_time', [7], { auth_time: true }, null]) expect(await announced(said)).toBeUndefined();
});

test('what is not JSON is told', async () => {
  await expect(discover(memoryOf('<html>'), ISSUER)).rejects.toThrow('is not JSON');
});

test('only algorithms without a shared secret are left', async () => {
  const both = async (algorithms?: string[]) =>
    (await found({ ...TRUTH, id_token_signing_alg_values_supported: algorithms })).settings
      .id_token_signing_alg_values_supported;

  expect(await both(['none', 'HS256', 'ES256', 'RS256'])).toEqual(['RS256', 'ES256']);
  expect(await both()).toEqual(['RS256', 'PS256', 'ES256', 'EdDSA']);
  await expect(both(['HS256', 'none'])).rejects.toThrow('signs with none of RS256, PS256, ES256, EdDSA');
});
