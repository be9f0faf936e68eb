/** The SAML row without a gateway: what it asks, what it reads, and what it says about settings. */
import { createVerify } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import {
  beginSamlCase,
  ISSUER,
  makeCaseKeys,
  NOW,
  ORIGIN,
  requestOf,
  samlConnector,
  samlDeps,
} from '../../../../../testing/connectors/saml-case.ts';
import {
  assertionXml,
  attributeXml,
  responseXml,
  signed,
  statementXml,
} from '../../../../../testing/connectors/saml-forge.ts';
import { makeSamlKeys } from '../../../../../testing/connectors/saml-keys.ts';
import { type SamlWorld, startSamlWorld } from '../../../../../testing/connectors/saml-world.ts';
import { serviceMetadata } from './metadata.ts';
import { certificateChange } from './provider/certificates.ts';
import { samlProvider } from './saml-provider.ts';
import { readXml } from './xml/read-xml.ts';

const DAY_MS = 86_400_000;
const keys = await makeCaseKeys();
const ours = await makeSamlKeys('gateway', { from: NOW - DAY_MS });
const worlds: SamlWorld[] = [];

afterAll(async () => {
  await Promise.all(worlds.map(async (world) => await world.close()));
});

async function startWorld(options: Omit<Parameters<typeof startSamlWorld>[0], 'now'> = {}): Promise<SamlWorld> {
  const world = await startSamlWorld({ now: () => NOW, keys: keys.idp, ...options });
  worlds.push(world);
  return world;
}

const pair = (field: 'signing_key_pair' | 'assertion_key_pair') => ({
  spec: { [field]: { cert: ours.cert } },
  more: { secrets: { [`spec.${field}.private_key`]: ours.key } },
});

test('somebody signs in at a provider that was told by its descriptor alone', async () => {
  const world = await startWorld();
  world.accounts.set('bea', {
    nameId: 'bea-0002',
    attributes: { groups: ['staff'], mail: ['bea@acme.example'], __proto__x: ['1'] },
    contextClass: 'https://refeds.org/profile/mfa',
    sessionNotOnOrAfter: NOW + 3_600_000,
  });
  const connector = samlConnector({ entity_descriptor: world.descriptor(), username_attribute: 'mail' });
  world.enter(serviceMetadata(connector, ORIGIN));
  const callback = samlProvider.callbackOf(connector, ORIGIN);

  const { url, kept } = await samlProvider.begin(samlDeps(), connector, { state: 'st', callback });
  const { action, fields } = await world.signIn(url, 'bea');
  const assertion = await samlProvider.answer(samlDeps(), connector, {
    fields,
    callback,
    state: 'st',
    kept,
    client: '192.0.2.1',
  });

  expect(action).toBe('https://gate.example/v1/webapi/saml/acs/acme');
  expect(assertion).toMatchObject({
    issuer: world.issuer,
    subject: 'bea-0002',
    username: 'bea@acme.example',
    mfa: true,
    providerSession: '_session',
    expires: NOW + 3_600_000,
    notes: [],
  });
  expect([...assertion.claims]).toEqual([
    ['groups', ['staff']],
    ['mail', ['bea@acme.example']],
    ['__proto__x', ['1']],
  ]);
});

test('the page of the provider sends the answer by itself', async () => {
  const world = await startWorld();
  const connector = samlConnector({ entity_descriptor: world.descriptor() });
  world.enter(serviceMetadata(connector, ORIGIN));
  const callback = samlProvider.callbackOf(connector, ORIGIN);
  const { url } = await samlProvider.begin(samlDeps(), connector, { state: 'st', callback });

  const page = await (await fetch(`${url}&account=ann`)).text();

  expect(page).toContain(`<form method="post" action="${callback}">`);
  expect(page).toContain('name="RelayState" value="st"');
});

test('requests are signed where there is a key for it, and a provider that wants that takes them', async () => {
  const world = await startWorld({ wantsSignedRequests: true });
  const { spec, more } = pair('signing_key_pair');
  const connector = samlConnector({ entity_descriptor: world.descriptor(), ...spec }, more);
  world.enter(serviceMetadata(connector, ORIGIN));
  const callback = samlProvider.callbackOf(connector, ORIGIN);

  const { url, discovery } = await samlProvider.begin(samlDeps(), connector, { state: 'st', callback });
  const query = new URL(url).search.slice(1);
  const verified = createVerify('RSA-SHA256')
    .update(query.slice(0, query.indexOf('&Signature=')))
    .verify(ours.cert, new URL(url).searchParams.get('Signature')!, 'base64');

  expect(verified).toBe(true);
  expect(discovery).not.toContain('signing_key_pair');
  expect(discovery).toContain('the gateway never asks it anything, and cannot tell when it is gone');
  await expect(world.signIn(url, 'ann')).resolves.toBeDefined();
});

test('a request says who asks, where to answer, and asks for a name that lasts', async () => {
  const { begun, parts } = await beginSamlCase(keys.idp, { force_authn: true });
  const request = requestOf(begun.url);

  expect(new URL(begun.url).searchParams.get('RelayState')).toBe('state-of-the-attempt');
  expect(request).toContain(`AssertionConsumerServiceURL="${parts.acs}"`);
  expect(request).toContain(`ID="${parts.requestId}"`);
  expect(request).toContain('ForceAuthn="true"');
  expect(request).toContain('nameid-format:persistent');
  expect(request).not.toContain('RequestedAuthnContext');
  expect(requestOf((await beginSamlCase(keys.idp, { subject_attribute: 'uid' })).begun.url)).not.toContain(
    'nameid-format',
  );
});

test('a provider is told to ask who it is where that is wanted, whatever the document says', async () => {
  const { connector, parts } = await beginSamlCase(keys.idp);
  const forced = async (asksWho: boolean) => {
    const { url } = await samlProvider.begin(samlDeps(), connector, { state: 'st', callback: parts.acs, asksWho });
    return requestOf(url).includes('ForceAuthn="true"');
  };

  expect(await forced(false)).toBe(false);
  expect(await forced(true)).toBe(true);
});

test('an assertion that is encrypted for us is opened, and refused without a key', async () => {
  const world = await startWorld({ encrypts: true });
  const { spec, more } = pair('assertion_key_pair');
  const connector = samlConnector({ entity_descriptor: world.descriptor(), ...spec }, more);
  world.enter(serviceMetadata(connector, ORIGIN));
  const callback = samlProvider.callbackOf(connector, ORIGIN);
  const { url, kept } = await samlProvider.begin(samlDeps(), connector, { state: 'st', callback });
  const { fields } = await world.signIn(url, 'ann');
  const request = { fields, callback, state: 'st', kept, client: '192.0.2.1' };

  expect(Buffer.from(fields.SAMLResponse, 'base64').toString()).not.toContain('ann-0001');
  expect(await samlProvider.answer(samlDeps(), connector, request)).toMatchObject({ subject: 'ann-0001' });
  const without = samlConnector({ entity_descriptor: world.descriptor() });
  await expect(samlProvider.answer(samlDeps(), without, request)).rejects.toThrow(
    'the assertion is encrypted: give assertion_key_pair',
  );
  const other = { secrets: { 'spec.assertion_key_pair.private_key': keys.stranger.key } };
  const wrongKey = samlConnector(
    { entity_descriptor: world.descriptor(), assertion_key_pair: { cert: keys.stranger.cert } },
    other,
  );
  await expect(samlProvider.answer(samlDeps(), wrongKey, request)).rejects.toThrow('cannot be decrypted');
});

test('a descriptor is fetched once in a minute before browsers are sent, and asked for again after a failure', async () => {
  const world = await startWorld();
  let now = NOW;
  const fetched = vi.fn<(url: string | URL) => Promise<Response>>(async () => new Response(world.descriptor()));
  fetched.mockResolvedValueOnce(new Response('', { status: 503 }));
  const deps = samlDeps({ fetch: fetched, now: () => now });
  const connector = samlConnector({ entity_descriptor_url: world.descriptorUrl });
  const begin = async () =>
    await samlProvider.begin(deps, connector, { state: 'st', callback: 'https://gate.example/acs' });

  await expect(begin()).rejects.toThrow('answers with 503 instead of 200');
  await Promise.all([begin(), begin(), begin()]);
  expect(fetched).toHaveBeenCalledTimes(2);
  now += 59_000;
  expect((await begin()).discovery).not.toContain('never asks');
  expect(fetched).toHaveBeenCalledTimes(2);
  now += 2_000;
  await begin();
  expect(fetched).toHaveBeenCalledTimes(3);
  expect(samlProvider.issuerOf(connector.document)).toBe(world.descriptorUrl);
});

test('an address that suddenly describes somebody else is not followed', async () => {
  const world = await startWorld();
  const deps = samlDeps({ fetch: async () => new Response(world.descriptor()) });
  const connector = samlConnector(
    { entity_descriptor_url: world.descriptorUrl },
    { facts: { entity: 'https://before.example' } },
  );

  const begun = samlProvider.begin(deps, connector, { state: 'st', callback: 'https://gate.example/acs' });

  await expect(begun).rejects.toThrow(`is now of '${world.issuer}', and was of 'https://before.example' before`);
});

test('a provider may roll over: any of its certificates will do, and a change is told', async () => {
  const { answer, parts, connector } = await beginSamlCase(
    keys.idp,
    { cert: `${keys.stranger.cert}\n${keys.idp.cert}` },
    { facts: { certificates: ['AA:BB'] } },
  );

  const { notes, facts = {} } = await answer(
    responseXml(signed(assertionXml(parts), '_assertion', { keys: keys.idp }), parts),
  );

  expect(facts.certificates).toHaveLength(2);
  expect(notes[0]).toMatch(/^the certificates of the provider have changed \(new: .+; gone: AA:BB\)$/);
  expect(certificateChange(connector.facts, facts)).toContain('gone: AA:BB');
  expect(certificateChange(facts, facts)).toBeUndefined();
  expect(certificateChange({}, facts)).toBeUndefined();
});

test('a certificate counts in its time alone', async () => {
  const old = await makeSamlKeys('old', { from: NOW - 400 * DAY_MS, days: 365 });
  const early = await makeSamlKeys('early', { from: NOW + DAY_MS });

  await expect(beginSamlCase(old)).rejects.toThrow(
    /has no certificate that is valid now: the one with SHA-256 .+ ended on 2026-04-27/,
  );
  await expect(beginSamlCase(early)).rejects.toThrow(/begins on 2026-06-02/);
  const { answer, parts } = await beginSamlCase(old, { cert: `${old.cert}${keys.idp.cert}` });
  await expect(answer(responseXml(signed(assertionXml(parts), '_assertion', { keys: old }), parts))).rejects.toThrow(
    'does not fit the certificate',
  );
});

test.each([
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:Password', false],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport', false],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken', false],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:X509', false],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified', false],
  ['https://refeds.org/profile/mfa', true],
  ['http://schemas.microsoft.com/claims/multipleauthn', true],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract', true],
  ['urn:oasis:names:tc:SAML:2.0:ac:classes:SmartcardPKI', true],
])('the class %s means two factors: %s', async (contextClass, mfa) => {
  const { answer, parts } = await beginSamlCase(keys.idp);

  const xml = responseXml(
    signed(assertionXml({ ...parts, statement: statementXml(parts, contextClass) }), '_assertion', { keys: keys.idp }),
    parts,
  );

  expect((await answer(xml)).mfa).toBe(mfa);
});

test('an attribute may be the subject, whatever the NameID is, if it has one value', async () => {
  const { answer, parts } = await beginSamlCase(keys.idp, { subject_attribute: 'uid', username_attribute: 'mail' });
  const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
  const say = async (attributes: string) =>
    await answer(
      responseXml(
        signed(assertionXml({ ...parts, nameIdFormat: transient, attributes }), '_assertion', { keys: keys.idp }),
        parts,
      ),
    );

  expect(await say(attributeXml('uid', ' 7 ') + attributeXml('mail', 'ann@acme.example'))).toMatchObject({
    subject: '7',
    username: 'ann@acme.example',
  });
  await expect(say(attributeXml('uid', '7', '8'))).rejects.toThrow(
    "subject_attribute 'uid' has 2 values, not one; the provider sent 'uid'",
  );
  await expect(say(attributeXml('mail', 'a'))).rejects.toThrow("subject_attribute 'uid' has 0 values");
  await expect(say(attributeXml('uid', '7'))).rejects.toThrow("username_attribute 'mail' has 0 values");
});

test('an attribute that stands there twice has all its values, and XML in a value is left out and told', async () => {
  const { answer, parts } = await beginSamlCase(keys.idp);
  const attributes = attributeXml('groups', 'a') + attributeXml('groups', 'b', '<x/>') + attributeXml('__proto__', 'c');

  const { claims, notes } = await answer(
    responseXml(signed(assertionXml({ ...parts, attributes }), '_assertion', { keys: keys.idp }), parts),
  );

  expect([...claims]).toEqual([
    ['groups', ['a', 'b']],
    ['__proto__', ['c']],
  ]);
  expect(notes).toEqual(["a value of 'groups' is XML, not text, and was left out"]);
});

test('what to enter over there, and what it is called by, can be written down or is the address of answers', () => {
  const plain = samlConnector({ entity_descriptor_url: 'https://idp.example/d' });
  const named = samlConnector({
    entity_descriptor_url: 'https://idp.example/d',
    service_provider_issuer: 'urn:gate',
    acs: 'https://old.example/v1/webapi/saml/acs/acme',
  });

  expect(samlProvider.enter(plain, ORIGIN)).toEqual([
    { what: 'callback', value: 'https://gate.example/v1/webapi/saml/acs/acme' },
    { what: 'entity', value: 'https://gate.example/v1/webapi/saml/acs/acme' },
    { what: 'metadata', value: 'https://gate.example/v1/webapi/saml/metadata/acme' },
  ]);
  expect(
    samlProvider
      .enter(named, ORIGIN)
      .map(({ value }) => value)
      .slice(0, 2),
  ).toEqual(['https://old.example/v1/webapi/saml/acs/acme', 'urn:gate']);
  expect(samlProvider.entries(plain.document)).toEqual([
    { path: 'attributes_to_roles[0]', claim: 'groups', value: 'staff', roles: ['access'] },
  ]);
});

test('metadata holds certificates and no secret, and stays XML whatever things are called', () => {
  const connector = samlConnector(
    {
      entity_descriptor_url: 'https://idp.example/d',
      service_provider_issuer: 'urn:<"&\'>',
      signing_key_pair: { cert: ours.cert },
      assertion_key_pair: { cert: ours.cert },
    },
    { secrets: { 'spec.signing_key_pair.private_key': ours.key } },
  );

  const xml = serviceMetadata(connector, ORIGIN);

  expect(readXml(xml, { comments: 'refused' }).attributes).toContainEqual({
    local: 'entityID',
    namespace: '',
    value: 'urn:<"&\'>',
  });
  expect(xml.split(ours.base64)).toHaveLength(3);
  expect(xml).not.toContain('PRIVATE');
});

test.each([
  [{}, ['spec.issuer: is missing', 'spec.sso: is missing', 'spec.cert: is missing']],
  [{ issuer: ISSUER, sso: 'https://idp.example/sso', cert: 'x' }, ['spec.cert: is not a certificate']],
  [{ issuer: ISSUER, sso: 'https://idp.example/sso', cert: keys.idp.base64 }, []],
  [{ entity_descriptor: '<x/>' }, ['spec.entity_descriptor: describes no identity provider']],
  [{ entity_descriptor: '<!DOCTYPE x><x/>' }, ['spec.entity_descriptor: cannot be read: it holds a DOCTYPE']],
  [
    { entity_descriptor: 'x', entity_descriptor_url: 'https://idp.example/d' },
    ['spec.entity_descriptor_url: is given beside'],
  ],
  [{ entity_descriptor_url: 'https://idp.example/d', cert: 'x' }, ['spec.cert: comes from the entity descriptor']],
  [
    { entity_descriptor_url: 'https://idp.example/d', signing_key_pair: { cert: 'x y' } },
    ['spec.signing_key_pair.cert: is not a certificate'],
  ],
])('settings %j are told what is wrong with them', (spec, problems) => {
  const found = samlProvider
    .check(samlConnector(spec).document)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);

  expect(found).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});

test('a key that is missing, unreadable or of another certificate is told by its field', async () => {
  const spec = { signing_key_pair: { cert: ours.cert } };
  const begin = async (secret: string | undefined) =>
    await beginSamlCase(keys.idp, spec, {
      secrets: secret === undefined ? {} : { 'spec.signing_key_pair.private_key': secret },
    });

  await expect(begin(undefined)).rejects.toThrow('signing_key_pair has no private_key');
  await expect(begin('x')).rejects.toThrow('private_key of signing_key_pair is not a private key in PEM');
  await expect(begin(keys.stranger.key)).rejects.toThrow('cert of signing_key_pair is not of its private_key');
});
