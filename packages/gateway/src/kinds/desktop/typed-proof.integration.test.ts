/** A host in between that somebody made themselves, with an account and a password of their choice: what they type is no proof to anybody else. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { call } from '@gatehouse/contract/wire/client';
import { startShadow, type TestShadow } from '@gatehouse/testkit/desktop/shadow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { DesktopPage, desktopOpening } from '../../../testing/desktop/desktop-page.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const CLUSTER = { clusterId: 'localhost' };
/** Of the host that the desktop is known by, and that is not there. */
const KNOWN_PIN = `sha256:${'0'.repeat(64)}`;

let gateway: IdentityGateway;
let admin: TestBrowser;
let eve: TestBrowser;
let theirs: TestShadow;
let origin: string;

beforeAll(async () => {
  [gateway, theirs] = await Promise.all([startIdentityGateway(), startShadow()]);
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  await makeRole(
    admin,
    'dev',
    `{allow: {windows_desktop_labels: {env: dev}, windows_desktop_logins: [${theirs.user}]}}`,
  );
  await gateway.addUser('eve', { roles: ['dev'] });
  eve = await gateway.signedIn('eve');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway?.close();
  await theirs?.stop();
});

async function open(name: string, password?: string) {
  const page = new DesktopPage(origin, eve, desktopOpening(name, theirs.user, password));
  await page.until('state');
  page.socket.close();
  await once(page.socket, 'close');
}
const add = (name: string) =>
  call(admin.send, desktopRoutes.add, {
    params: CLUSTER,
    body: { name, addr: `127.0.0.1:${theirs.port}`, labels: { env: 'dev' }, certificate: { pin: KNOWN_PIN } },
  });
const pinned = async (name: string) =>
  (await call(admin.send, desktopRoutes.details, { params: { ...CLUSTER, name } })).certificate;
const told = async (name: string) =>
  (await gateway.events()).filter(({ code, data }) => code === 'GH371W' && data.desktop_name === name);

test('a host that knows what somebody has typed is not taken for the desktop by anybody else', async () => {
  await add('typed');
  await open('typed', theirs.password);

  expect(await pinned('typed')).toEqual({ pin: KNOWN_PIN });
  expect(await told('typed')).toMatchObject([
    { user: 'eve', data: { success: false, error: expect.stringContaining('typed') } },
  ]);
});

test('one that knows a stored password is', async () => {
  await add('stored');
  await call(admin.send, desktopRoutes.setPassword, {
    params: { ...CLUSTER, name: 'stored', login: theirs.user },
    body: { password: theirs.password },
  });
  await open('stored');

  expect(await pinned('stored')).not.toEqual({ pin: KNOWN_PIN });
  expect(await told('stored')).toMatchObject([{ user: 'eve', data: { success: true, windows_user: theirs.user } }]);
});
