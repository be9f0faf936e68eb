/** Every route that asks for a verb and names nothing, asked by somebody who has every verb under a condition that nothing meets: `needs` alone lets them pass. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { allRoutes } from '@gatehouse/contract/api/api';
import { NAMED_THINGS } from '@gatehouse/contract/testing/named-things';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const roleText = (name: string, where: string) => `
kind: role
version: v6
metadata: {name: ${name}}
spec:
  allow:
    node_labels: {'*': '*'}
    app_labels: {'*': '*'}
    rules:
      - resources: ['*']
        verbs: ['*']
        where: ${where}
`;

const routes = allRoutes()
  .map(({ feature, name, route }) => ({ name: `${feature}.${name}` as keyof typeof NAMED_THINGS, route }))
  .filter(({ name, route }) => route.needs !== undefined && NAMED_THINGS[name] === 'nothing');

/** What those are sent that take something. */
const BODIES: Record<string, object> = {
  'joinTokens.create': { roles: ['Node'] },
  'nodes.add': { name: 'n1', addr: '127.0.0.1:22', labels: {} },
  'apps.add': { name: 'a1', uri: 'http://127.0.0.1:1', labels: {} },
  'databases.add': { name: 'd1', protocol: 'postgres', uri: '127.0.0.1:1' },
  'kubernetes.add': { name: 'k1', server: 'https://127.0.0.1:1' },
  'desktops.lookAt': { addr: '127.0.0.1:1' },
  'desktops.add': { name: 'w1', addr: '127.0.0.1:1' },
  'jwks.rotate': {},
  'sshAuthorities.rotate': {},
  'dbAuthorities.rotate': { purpose: 'db' },
  'dbTrust.sign': { hosts: ['db.inside'], publicKey: '-----BEGIN PUBLIC KEY-----' },
  'recordingUpkeep.prune': { dryRun: true },
  'clusters.postAlert': { message: 'hello' },
  'trustedClusters.previewMap': { role_map: [] },
  'trustedClusters.createToken': {},
  'trustedClusters.rotateKey': {},
  'githubConnectors.create': { content: 'x' },
  'githubConnectors.update': { content: 'x' },
  'oidcConnectors.create': { content: 'x' },
  'oidcConnectors.update': { content: 'x' },
  'samlConnectors.create': { content: 'x' },
  'samlConnectors.update': { content: 'x' },
  'connectorTests.begin': { kind: 'oidc', content: 'x' },
  'connectorTests.check': { kind: 'oidc', content: 'x' },
  'connectorTests.effect': { kind: 'oidc', content: 'x' },
};

/** Lists of what they may know of: there is something for everybody else, and nothing for them. */
const EMPTY: Record<string, unknown> = {
  'lockOuts.list': [],
  'users.list': [],
  'userList.find': expect.objectContaining({ items: [], totalCount: 0, everybody: 0 }),
  'roles.list': [],
  'trustedClusters.list': [],
  'remoteClusters.list': [],
  'locks.list': [],
  'githubConnectors.list': [],
  'oidcConnectors.list': [],
  'samlConnectors.list': [],
  'joinTokens.list': [],
  'agents.list': [],
  'nodes.list': { items: [], startKey: '', totalCount: 0 },
  'nodes.summary': { seen: 0, signIn: 0, online: 0, unreachable: 0, unknown: 0 },
  'apps.list': { items: [], startKey: '', totalCount: 0 },
  'apps.names': [],
  'databases.names': [],
  'databases.services': { items: [], startKey: '', totalCount: 0 },
  'dbApprovals.list': { items: [] },
  'databases.list': { items: [], startKey: '', totalCount: 0 },
  'kubernetes.names': [],
  'kubernetes.list': { items: [], startKey: '', totalCount: 0 },
  'desktops.list': { items: [], startKey: '', totalCount: 0 },
  'desktops.services': { items: [], startKey: '', totalCount: 0 },
  'events.searchSessions': { events: [], startKey: '' },
};

/** Conditions tell these apart by name and label: whoever may add one may add it at any address, and so try any. */
const NO_MORE_THAN_THEY_MAY = ['apps.check', 'databases.check', 'kubernetes.check', 'desktops.lookAt'];

let gateway: IdentityGateway;
let elsewhere: TestBrowser;
let here: TestBrowser;

beforeAll(async () => {
  gateway = await startIdentityGateway({ shown: [{ key: 'listen', value: '127.0.0.1:3080', source: 'default' }] });
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const somebody = async (name: string, cluster: string) => {
    const where = `equals(resource.metadata.name, "${cluster}")`;
    await call(admin.send, roleRoutes.create, { body: { content: roleText(name, where) } });
    await gateway.addUser(name, { roles: [name] });
    return gateway.signedIn(name);
  };
  elsewhere = await somebody('elsewhere', 'leaf');
  here = await somebody('here', 'localhost');
});
afterAll(() => gateway.close());

/** That somebody was refused is audited too. */
const done = async () => (await gateway.events()).filter(({ code }) => code !== 'GH367W');

async function ask(browser: TestBrowser, { name, route }: (typeof routes)[number]) {
  const body = BODIES[name];
  const { status, text } = await browser.send({
    method: route.method,
    url: pathFor(route.path, { clusterId: 'localhost', name: 'x' }),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status, reply: JSON.parse(text) };
}

test.each(routes.filter(({ name }) => !NO_MORE_THAN_THEY_MAY.includes(name)))(
  '$name tells and does nothing',
  async (asked) => {
    const denied = { status: 403, reply: { error: expect.objectContaining({ code: 'denied' }) } };
    const expected = asked.name in EMPTY ? { status: 200, reply: EMPTY[asked.name] } : denied;

    const before = await done();
    expect(await ask(elsewhere, asked)).toMatchObject(expected);
    expect(await done()).toEqual(before);
  },
);

test.each(routes.filter(({ route: { needs } }) => needs?.[0] === 'trustedClusters'))(
  '$name is open where the condition names this cluster',
  async (asked) => {
    expect(await ask(here, asked)).toMatchObject({ status: 200 });
  },
);
