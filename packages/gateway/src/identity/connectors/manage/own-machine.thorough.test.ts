/** Who edits connectors, and not roles, does not let the gateway ask services of its own machine. */
import { createServer, type Server } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import {
  githubConnectorRoutes,
  oidcConnectorRoutes,
  samlConnectorRoutes,
} from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const HERE = 'is on the machine the gateway runs on';
const PLAIN = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['plain'] }] };

let gateway: SsoGateway;
let limited: TestBrowser;
let service: Server;
let heard: number;

beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN }, connectors: ['okta', 'here'] });
  for (const [name, allow] of [
    ['connecting', '{rules: [{resources: [auth_connector], verbs: ["*"]}]}'],
    ['plain', '{logins: [deploy], node_labels: {env: dev}}'],
  ])
    await call(gateway.admin.send, roleRoutes.create, {
      body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}` },
    });
  await gateway.addUser('lim', { roles: ['connecting', 'plain'] });
  limited = await gateway.signedIn('lim');
  heard = 0;
  service = createServer((socket) => {
    heard += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => service.listen(0, resolve));
});
afterEach(async () => {
  service.close();
  await gateway.close();
});

const create = (browser: TestBrowser, content: string) =>
  call(browser.send, oidcConnectorRoutes.create, { body: { content } });
/** An address that is no name of loopback, and leads there all the same. */
function aroundTheName(): string {
  const address = service.address();
  return `https://[::ffff:127.0.0.1]:${typeof address === 'object' && address ? address.port : 0}`;
}

async function discovery(browser: TestBrowser, content: string) {
  const { id } = await call(browser.send, connectorTestRoutes.begin, { body: { kind: 'oidc', content } });
  const { steps } = await call(browser.send, connectorTestRoutes.read, { params: { id } });
  return steps.find(({ step }) => step === 'discovery');
}

test.each([
  'http://127.0.0.1:9200',
  'http://localhost:9200',
  'https://localhost:9200',
  'http://[::1]:9200',
  'https://127.1:9200',
])('they neither save nor try a provider at %s', async (issuer_url) => {
  const content = gateway.document({ ...PLAIN, issuer_url });

  await expect(create(limited, content)).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining(`'spec.issuer_url' ${HERE}`),
  });
  await expect(discovery(limited, content)).rejects.toMatchObject({ code: 'denied' });
  await create(gateway.admin, content);
});

test('of no kind', async () => {
  const document = (kind: string, version: string, spec: object) =>
    JSON.stringify({ kind, version, metadata: { name: 'x' }, spec });
  const client = { client_id: 'x', client_secret: 'a secret of theirs' };
  const teams_to_roles = [{ organization: 'acme', team: 'ops', roles: ['plain'] }];
  const attributes_to_roles = [{ name: 'groups', value: 'x', roles: ['plain'] }];
  const github = document('github', 'v3', {
    ...client,
    teams_to_roles,
    endpoint_url: 'https://git.example',
    api_endpoint_url: 'http://127.0.0.1:9200',
  });
  const saml = document('saml', 'v2', { attributes_to_roles, entity_descriptor_url: 'http://127.0.0.1:9200/d' });

  await expect(call(limited.send, githubConnectorRoutes.create, { body: { content: github } })).rejects.toThrow(
    `'spec.api_endpoint_url' ${HERE}`,
  );
  await expect(call(limited.send, samlConnectorRoutes.create, { body: { content: saml } })).rejects.toThrow(
    `'spec.entity_descriptor_url' ${HERE}`,
  );
});

test('what leads there by another name is not dialled for what they wrote, and is for who may edit roles', async () => {
  const content = gateway.document({ ...PLAIN, issuer_url: aroundTheName() });
  const refused = { status: 'failed', message: expect.stringContaining('is the machine the gateway runs on') };

  expect(await discovery(limited, content)).toMatchObject(refused);
  await create(limited, content);
  await visit(gateway.browser(), '/v1/webapi/oidc/login/web?connector_id=okta');
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain('is the machine the gateway runs on');
  expect(heard).toBe(0);

  expect(await discovery(gateway.admin, content)).not.toMatchObject(refused);
  expect(heard).toBe(1);
});

test('what somebody who may entered stays, also when they change something else; another address does not', async () => {
  await gateway.save(PLAIN, 'here');
  const update = (spec: object) =>
    call(limited.send, oidcConnectorRoutes.update, {
      params: { name: 'here' },
      body: { content: gateway.document({ ...PLAIN, ...spec }, 'here') },
    });

  await update({ display: 'Here' });
  expect(await gateway.signIn(gateway.browser(), 'ann', { connector: 'here' })).toBe('/web');
  await expect(update({ issuer_url: 'http://127.0.0.1:9200' })).rejects.toThrow(HERE);
});
