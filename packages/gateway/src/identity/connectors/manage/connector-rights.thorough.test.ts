/** Who may make connectors, what they may give by them, and what happens to their secrets. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { githubConnectorRoutes, oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT_SECRET, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
let limited: TestBrowser;

const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const makeRole = (content: string) => call(gateway.admin.send, roleRoutes.create, { body: { content } });
const create = (browser: TestBrowser, content: string) =>
  call(browser.send, oidcConnectorRoutes.create, { body: { content } });
const mapping = (...roles: string[]) => ({ claims_to_roles: [{ claim: 'groups', value: 'x', roles }] });

beforeAll(async () => {
  gateway = await startSsoGateway();
  await makeRole(role('connecting', '{rules: [{resources: [auth_connector, user], verbs: ["*"]}]}'));
  await makeRole(role('plain', '{logins: [deploy], node_labels: {env: dev}}'));
  await makeRole(role('asking', '{logins: ["{{external.team}}"], node_labels: {env: dev}}'));
  await gateway.addUser('lim', { roles: ['connecting', 'plain', 'asking'] });
  limited = await gateway.signedIn('lim');
});
afterAll(() => gateway.close());

test('nobody gives by a connector a role they do not hold', async () => {
  await expect(create(limited, gateway.document(mapping('editor'), 'a1'))).rejects.toThrow("role 'editor'");
});

test('nor a role that asks for traits, which the provider would give', async () => {
  await expect(create(limited, gateway.document(mapping('asking'), 'a2'))).rejects.toThrow('asks for traits');
  const spec = { ...mapping('plain'), traits: [{ from: 'groups', to: 'logins' }] };
  await expect(create(limited, gateway.document(spec, 'a3'))).rejects.toThrow('traits decide');
});

test('nor a role that the provider names', async () => {
  const spec = { claims_to_roles: [{ claim: 'groups', value: '^(.*)$', roles: ['$1'] }] };
  await expect(create(limited, gateway.document(spec, 'a4'))).rejects.toThrow('filled in by what the provider says');
});

test('what they hold they may give, and a test asks for the same rights as saving', async () => {
  await create(limited, gateway.document({ ...mapping('plain'), issuer_url: 'https://idp.example' }, 'a5'));
  const begin = (content: string) => call(limited.send, connectorTestRoutes.begin, { body: { kind: 'oidc', content } });

  await expect(begin(gateway.document(mapping('editor'), 'a5'))).rejects.toThrow("role 'editor'");
});

test('a right under a condition is not enough', async () => {
  await makeRole(
    role(
      'some',
      '{rules: [{resources: [auth_connector], verbs: ["*"], where: \'equals(resource.metadata.name, "x")\'}]}',
    ),
  );
  await gateway.addUser('some', { roles: ['some'] });
  const browser = await gateway.signedIn('some');

  await expect(create(browser, gateway.document({}, 'a6'))).rejects.toThrow('on every connector');
});

test('a secret that is left out stays, and is asked for again when it would go to somebody else', async () => {
  await create(gateway.admin, gateway.document({}, 'kept'));
  const update = (spec: Record<string, unknown>) =>
    call(gateway.admin.send, oidcConnectorRoutes.update, {
      params: { name: 'kept' },
      body: { content: gateway.document({ ...spec, client_secret: undefined }, 'kept') },
    });

  expect(await update({ display: 'Acme' })).toMatchObject({ hasSecret: true });
  await expect(update({ issuer_url: 'https://evil.example' })).rejects.toThrow("'spec.issuer_url' changed");
  await expect(update({ client_id: 'another' })).rejects.toThrow("'spec.client_id' changed");
  const draft = gateway.document({ issuer_url: 'https://evil.example', client_secret: undefined }, 'kept');
  const tried = call(gateway.admin.send, connectorTestRoutes.begin, { body: { kind: 'oidc', content: draft } });
  await expect(tried).rejects.toThrow("'spec.issuer_url' changed");
});

test('the text is kept as it was written, without the secret, wherever it stands', async () => {
  const text = [
    '# ours',
    'kind: oidc',
    'version: v3',
    'metadata: { name: written }',
    'spec:',
    `  client_secret: ${CLIENT_SECRET} # do not tell`,
    `  issuer_url: ${gateway.world.issuer} # the provider`,
    '  client_id: x',
    '  claims_to_roles: [{ claim: groups, value: staff, roles: [access] }]',
    '',
  ];
  const { content } = await create(gateway.admin, text.join('\n'));

  expect(content).toBe(text.filter((line) => !line.includes('client_secret')).join('\n'));
  const twice = [
    ...text.slice(0, 3),
    'metadata: { name: twice, description: *s }',
    'spec:',
    `  client_secret: &s ${CLIENT_SECRET}`,
    ...text.slice(6),
  ];
  await expect(create(gateway.admin, twice.join('\n'))).rejects.toThrow();
  const commented = text.join('\n').replace('# ours', `# ${CLIENT_SECRET}`).replace('name: written', 'name: commented');
  await expect(create(gateway.admin, commented)).rejects.toThrow('written a second time');
  const described = (description: string, secret: string) =>
    text
      .join('\n')
      .replace('name: written', `name: described, description: ${description}`)
      .replace(`client_secret: ${CLIENT_SECRET}`, `client_secret: ${secret}`);
  const pointed = described(`&s '${CLIENT_SECRET}'`, '*s');
  await expect(create(gateway.admin, pointed)).rejects.toThrow('not by an alias');
  const escaped = described(`"${CLIENT_SECRET.replace('a', '\\u0061')}"`, `'${CLIENT_SECRET}'`);
  await expect(create(gateway.admin, escaped)).rejects.toThrow('written a second time');
});

test.each(['login', 'callback', 'local', 'Finish', 'test', 'a/b', 'a b', ''])('nothing is called %j', async (name) => {
  await expect(create(gateway.admin, gateway.document({}, name))).rejects.toThrow('metadata.name');
});

test.each([
  'http://idp.example',
  'https://user:pass@idp.example',
  'ftp://idp.example',
  'https://idp.example/#x',
  'https://idp.example\\@evil.example',
])('a provider at %s is refused', async (issuer_url) => {
  await expect(create(gateway.admin, gateway.document({ issuer_url }, 'b1'))).rejects.toThrow('spec.issuer_url');
});

test('names are shared by all kinds', async () => {
  await create(gateway.admin, gateway.document({}, 'shared'));
  const content = JSON.stringify({
    kind: 'github',
    version: 'v3',
    metadata: { name: 'shared' },
    spec: {
      client_id: 'x',
      client_secret: 'yyyyyyyy',
      teams_to_roles: [{ organization: 'acme', team: 'ops', roles: ['access'] }],
    },
  });

  await expect(call(gateway.admin.send, githubConnectorRoutes.create, { body: { content } })).rejects.toThrow(
    'exists already',
  );
  await expect(call(gateway.admin.send, githubConnectorRoutes.remove, { params: { name: 'shared' } })).rejects.toThrow(
    'shared',
  );
});

test('whoever may edit users links nobody to an account that could do more than they', async () => {
  const link = call(limited.send, identityRoutes.link, {
    params: { username: 'admin' },
    body: { connector: 'a5', subject: 'lim' },
  });

  await expect(link).rejects.toThrow();
});

test('changes want a proof of the last minutes', async () => {
  gateway.clock.advance(6 * 60_000);

  await expect(create(gateway.admin, gateway.document({}, 'late'))).rejects.toMatchObject({ code: 'mfa_required' });
  gateway.clock.advance(-6 * 60_000);
});
