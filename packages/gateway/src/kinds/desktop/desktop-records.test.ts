import { randomUUID } from 'node:crypto';
import { desktopRoutes, type NewDesktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { putResources, removeResource } from '../../inventory/resource-store.ts';
import { insertAgent } from '../../reach/agents/registry/agent-store.ts';
import { insertSession } from '../../sessions/host/session-store.ts';
import { createDesktopSecrets } from './desktop-secrets.ts';
import { readDesktop } from './listed-desktop.ts';
import { readLogin } from './login-name.ts';

const CLUSTER = { clusterId: 'localhost' };
const PIN = `sha256:${'ab'.repeat(32)}`;
const PASSWORD = 'a password that occurs nowhere';

let gateway: IdentityGateway;
let admin: TestBrowser;
/** Uses and manages what is labelled dev, and may edit no roles. */
let ann: TestBrowser;
let agent: { id: string; name: string };

beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const where = 'equals(resource.metadata.labels["env"], "dev")';
  const rule = `{resources: [windows_desktop], verbs: ['*'], where: '${where}'}`;
  const dev = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [Ann, 'corp\\bob']`;
  await makeRole(admin, 'dev', `{allow: {${dev}, rules: [${rule}]}}`);
  await makeRole(
    admin,
    'careful',
    `{allow: {windows_desktop_labels: {env: dev}, windows_desktop_logins: [Ann]}, options: {require_session_mfa: true}}`,
  );
  for (const [name, roles] of Object.entries({ ann: ['dev'], cid: ['careful'] }))
    await gateway.addUser(name, { roles });
  ann = await gateway.signedIn('ann');
  agent = { id: randomUUID(), name: 'edge-1' };
  await gateway.storage.db.transaction().execute((tx) =>
    insertAgent(tx, {
      ...{ ...agent, cluster: 'localhost', key: 'k', roles: ['WindowsDesktop'], version: '1', address: '10.0.0.3' },
      ...{
        labels: { 'teleport.internal/resource-id': 'r-1', site: 'east' },
        offers: {},
        group: 'g',
        matcherLabels: {},
      },
      ...{ created: 1, createdBy: 'admin' },
    }),
  );
});
afterAll(() => gateway?.close());

const add = (by: TestBrowser, body: NewDesktop) => call(by.send, desktopRoutes.add, { params: CLUSTER, body });
const on = (name: string) => ({ params: { ...CLUSTER, name } });
const update = (by: TestBrowser, name: string, body: object) =>
  call(by.send, desktopRoutes.update, { ...on(name), body });
const list = (by: TestBrowser) => call(by.send, desktopRoutes.list, { params: CLUSTER, query: {} as never });
const details = (by: TestBrowser, name: string) => call(by.send, desktopRoutes.details, on(name));
const setPassword = (by: TestBrowser, name: string, login: string) =>
  call(by.send, desktopRoutes.setPassword, { params: { ...CLUSTER, name, login }, body: { password: PASSWORD } });
const setWide = (by: TestBrowser, body: object) =>
  call(by.send, desktopRoutes.setWidePassword, { params: CLUSTER, body: { password: PASSWORD, ...body } as never });
const stored = async (name: string) => (await readDesktop(gateway.storage.db, { cluster: 'localhost', name }))!;
const passwordOf = async (name: string, login: string) => {
  const desktop = await stored(name);
  return await createDesktopSecrets(gateway.storage.db, gateway.secrets).of(desktop, readLogin(login, desktop));
};
const codes = async () => (await gateway.events()).map(({ code }) => code);

test('a desktop is listed as clients of the wire know it, with whom one may become and which password nobody is asked for', async () => {
  await add(admin, { name: 'win-1', addr: '10.0.0.7:3389', labels: { env: 'dev' }, certificate: { pin: PIN } });
  await setPassword(admin, 'win-1', 'ANN');
  const { items, totalCount } = await list(ann);
  const row = {
    os: 'windows',
    name: 'win-1',
    addr: '10.0.0.7:3389',
    labels: [{ name: 'env', value: 'dev' }],
    host_id: '',
    logins: ['Ann', 'corp\\bob'],
    gatehouse: {
      ...{ source: 'entered', protocol: 'rdp', domain: '', certificate: 'pinned', askPassword: true },
      ...{ stored: ['Ann'], lacks: [], through: false, connected: true },
    },
  };
  expect([items, totalCount]).toEqual([[row], 0]);
  expect(await call(ann.send, desktopRoutes.get, on('win-1'))).toEqual(row);
  expect(await details(ann, 'win-1')).toMatchObject({
    certificate: { pin: PIN },
    through: '',
    passwords: [{ login: 'ANN' }],
  });
  expect(await passwordOf('win-1', 'ann')).toBe(PASSWORD);
  const everything = JSON.stringify([items, await details(admin, 'win-1'), await gateway.events()]);
  expect(everything).not.toContain(PASSWORD);
  expect(await codes()).toEqual(expect.arrayContaining(['GH320I', 'GH370I']));
});

test('another address voids what was stored, another label does not; a removed desktop keeps nothing', async () => {
  await add(admin, { name: 'win-2', addr: '10.0.0.8:3389', labels: { env: 'dev' }, certificate: { pin: PIN } });
  await setPassword(admin, 'win-2', 'corp\\ann');
  await update(admin, 'win-2', { labels: { env: 'dev', tier: 'b' }, askPassword: false });
  expect(await passwordOf('win-2', 'corp\\ann')).toBe(PASSWORD);
  await update(admin, 'win-2', { addr: '10.0.0.9:3389' });
  expect([await passwordOf('win-2', 'corp\\ann'), (await details(admin, 'win-2')).passwords]).toEqual([undefined, []]);
  await setPassword(admin, 'win-2', 'ann');
  await call(admin.send, desktopRoutes.removePassword, { params: { ...CLUSTER, name: 'win-2', login: 'Ann' } });
  expect(await passwordOf('win-2', 'ann')).toBeUndefined();
  await setPassword(admin, 'win-2', 'ann');
  await call(admin.send, desktopRoutes.remove, on('win-2'));
  await add(admin, { name: 'win-2', addr: '10.0.0.9:3389', certificate: { pin: PIN } });
  expect(await passwordOf('win-2', 'ann')).toBeUndefined();
  expect(await codes()).toEqual(expect.arrayContaining(['GH321I', 'GH322I']));
});

test('who manages some neither sees nor changes others, and gives nobody more than they have', async () => {
  await add(admin, { name: 'prod-1', addr: '10.0.1.1:3389', labels: { env: 'prod' } });
  await expect(details(ann, 'prod-1')).rejects.toMatchObject({ code: 'not_found' });
  await expect(setPassword(ann, 'prod-1', 'x')).rejects.toMatchObject({ code: 'not_found' });
  await expect(
    call(ann.send, desktopRoutes.setCertificate, { ...on('prod-1'), body: { pin: PIN } }),
  ).rejects.toMatchObject({ code: 'not_found' });
  await expect(add(ann, { name: 'mine', addr: '10.0.1.2:3389', labels: { env: 'prod' } })).rejects.toMatchObject({
    code: 'denied',
  });
  await expect(add(ann, { name: 'win-1', addr: '10.0.1.2:3389', labels: { env: 'dev' } })).rejects.toMatchObject({
    code: 'conflict',
  });
  await expect(update(ann, 'win-1', { labels: { env: 'prod' } })).rejects.toMatchObject({ code: 'denied' });
});

test('a password by labels is for who may edit roles, and nobody else makes a host of theirs hear it', async () => {
  await expect(setWide(ann, { login: 'svc', labels: { env: 'dev' } })).rejects.toMatchObject({ code: 'denied' });
  await expect(setWide(admin, { login: 'svc', labels: {} })).rejects.toMatchObject({ code: 'bad_request' });
  await expect(setWide(admin, { login: 'a\\b\\c', labels: { env: 'dev' } })).rejects.toMatchObject({
    code: 'bad_request',
  });
  const { id } = await setWide(admin, { login: 'corp\\bob', labels: { env: 'dev' }, agents: ['edge-1'] });
  expect(await passwordOf('win-1', 'CORP\\Bob')).toBe(PASSWORD);
  expect((await list(ann)).items.find(({ name }) => name === 'win-1')?.gatehouse?.stored).toEqual(['Ann', 'corp\\bob']);

  const gift = { code: 'denied', message: expect.stringContaining('only who may edit roles') };
  await expect(add(ann, { name: 'mine', addr: '10.6.6.6:3389', labels: { env: 'dev' } })).rejects.toMatchObject(gift);
  await expect(update(ann, 'win-1', { addr: '10.6.6.6:3389' })).rejects.toMatchObject(gift);
  const other = { ...on('win-1'), body: { pin: `sha256:${'66'.repeat(32)}` } };
  await expect(call(ann.send, desktopRoutes.setCertificate, other)).rejects.toMatchObject(gift);
  await update(ann, 'win-1', { askPassword: false });

  const { items } = await call(admin.send, desktopRoutes.widePasswords, { params: CLUSTER });
  expect(items).toMatchObject([
    { id, login: 'corp\\bob', labels: { env: 'dev' }, agents: ['edge-1'], storedBy: 'admin' },
  ]);
  expect(JSON.stringify(items)).not.toContain(PASSWORD);
  await expect(call(ann.send, desktopRoutes.widePasswords, { params: CLUSTER })).rejects.toMatchObject({
    code: 'denied',
  });
  await call(admin.send, desktopRoutes.removeWidePassword, { params: { ...CLUSTER, id } });
  expect(await passwordOf('win-1', 'corp\\bob')).toBeUndefined();
});

test('what an agent offers is not changed here, but is given a certificate and a password', async () => {
  const resource = { cluster: 'localhost', kind: 'desktop', id: 'far-1', name: 'far-1', owner: agent.id } as const;
  const spec = { addr: '10.2.0.1:3389', protocol: 'rdp', domain: '' };
  const { db } = gateway.storage;
  await db
    .transaction()
    .execute((tx) => putResources(tx, [{ ...resource, labels: { env: 'dev' }, spec, expires: undefined }], 1));
  const shown = async () => (await call(ann.send, desktopRoutes.get, on('far-1'))).gatehouse;
  expect(await shown()).toMatchObject({ source: 'agent', lacks: ['certificate', 'agent'], certificate: 'unknown' });
  await expect(update(admin, 'far-1', { addr: '10.2.0.2:3389' })).rejects.toMatchObject({ code: 'bad_request' });
  await call(ann.send, desktopRoutes.setCertificate, { ...on('far-1'), body: { pin: PIN } });
  await setPassword(ann, 'far-1', 'ann');
  expect(await shown()).toMatchObject({ lacks: ['agent'], certificate: 'pinned', stored: ['Ann'] });
  expect((await gateway.events()).filter(({ code }) => code === 'GH371W')).toMatchObject([
    { data: { desktop_name: 'far-1', success: true, fingerprint: PIN } },
  ]);
  await db.transaction().execute((tx) => removeResource(tx, resource));
});

test('agents that offer desktops are found by the label of the token they joined with', async () => {
  const services = (by: TestBrowser, search: string) =>
    call(by.send, desktopRoutes.services, { params: CLUSTER, query: { search, limit: 1 } as never });
  const found = await services(admin, 'teleport.internal/resource-id r-1');
  expect(found.items).toEqual([
    {
      ...{ name: agent.id, hostname: 'edge-1', addr: '10.0.0.3', labels: [{ name: 'site', value: 'east' }] },
      gatehouse: { connected: false, resourceId: 'r-1' },
    },
  ]);
  expect((await services(admin, 'r-2')).items).toEqual([]);
  expect((await services(ann, 'r-1')).items).toEqual([]);
});

test('whether somebody is on it is told to who may know of the session, and of nothing that is not seen', async () => {
  const active = (by: TestBrowser, name: string) => call(by.send, desktopRoutes.active, on(name));
  const { resource } = await stored('win-1');
  const id = randomUUID();
  await gateway.storage.db.transaction().execute((tx) =>
    insertSession(tx, {
      ...{
        id,
        cluster: 'localhost',
        user: 'cid',
        signInId: 's',
        address: '',
        request: id,
        mfa: false,
        recorded: false,
      },
      ...{ action: { type: 'connect', kind: 'desktop', login: 'ann', resource }, created: 1, begun: 1 },
      ...{ size: { cols: 80, rows: 24 }, agent: undefined, gateway: 'g' },
    }),
  );
  expect(await active(admin, 'win-1')).toEqual({ active: true });
  expect(await active(admin, 'win-2')).toEqual({ active: false });
  expect(await active(ann, 'win-1')).toEqual({ active: false });
  expect(await active(ann, 'prod-1')).toEqual({ active: false });
});

test('connecting takes a second factor where a role asks for one', async () => {
  const cid = await gateway.signedIn('cid');
  const asks = async (by: TestBrowser, login: string) =>
    (
      await call(by.send, diagnosticRoutes.mfaRequired, {
        params: CLUSTER,
        body: { windows_desktop: { desktop_name: 'win-1', login } } as never,
      })
    ).required;
  expect([await asks(cid, 'ann'), await asks(ann, 'ann')]).toEqual([true, false]);
});

test('the scripts that get Windows ready are there for everybody, and a bad token is told as JSON', async () => {
  const folder = '/v1/webapi/scripts/desktop-access';
  const get = (path: string) => gateway.app.inject(`${folder}/${path}`);
  expect((await get('install-ad-ds.ps1')).body).toContain('fDenyTSConnections');
  const { id } = await call(admin.send, joinTokenRoutes.create, { body: { roles: ['WindowsDesktop'] } as never });
  const made = await get(`configure/${id}/configure-ad.ps1`);
  expect([made.statusCode, made.body.includes(id)]).toEqual([200, true]);
  const bad = await get(`configure/${'0'.repeat(32)}/configure-ad.ps1`);
  expect([bad.statusCode, bad.headers['content-type']]).toEqual([400, expect.stringContaining('application/json')]);
});
