import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { findSealed, removeResource } from '../inventory/resource-store.ts';

const params = { clusterId: '-current-' };
const SECRET = 'not.a.jwt~just+text/for=tests';
const PIN = `sha256:${'ab'.repeat(32)}`;

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;

beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  const where = `where: 'equals(resource.metadata.labels["env"], "dev")'`;
  const rule = `{resources: [db, kube_server, app_server, windows_desktop], verbs: ['*'], ${where}}`;
  await makeRole(admin, 'dev', `{allow: {db_labels: {env: dev}, db_users: [app], db_names: [shop], rules: [${rule}]}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
});
afterAll(() => gateway?.close());

afterEach(async () => {
  const rows = await gateway.storage.db.selectFrom('resource').select(['cluster', 'kind', 'id']).execute();
  await gateway.storage.db.transaction().execute(async (tx) => {
    for (const row of rows) await removeResource(tx, row as Parameters<typeof removeResource>[1]);
  });
});

const apply = (by: TestBrowser, documents: string, more: { dryRun?: boolean } = {}) =>
  call(by.send, applyRoutes.apply, { params, body: { documents, ...more } });
const exported = (by: TestBrowser, query: { kinds?: string; name?: string; revisions?: 'yes' } = {}) =>
  call(by.send, applyRoutes.export, { params, query });
const outcomes = ({ items }: Awaited<ReturnType<typeof apply>>) =>
  items.map(({ kind, name, action }) => `${kind}/${name} ${action}`);

const DB = `kind: db
version: v3
metadata:
  name: shop
  description: of the shop
  labels: {env: dev}
spec:
  protocol: postgres
  uri: 10.0.0.1:5432
  signIn: password
  database: shop
  names: [shop]
`;
const KUBE = `kind: kube_cluster
version: v3
metadata: {name: prod, labels: {env: dev}}
spec:
  server: https://10.0.0.2:6443
  namespaces: [web]
  credential: {token: ${SECRET}}
`;
const DESKTOP = `kind: windows_desktop
version: v3
metadata: {name: win-1, labels: {env: dev, empty: ''}}
spec:
  addr: 10.0.0.3:3389
  domain: CORP
  askPassword: false
  certificate: {pin: '${PIN}'}
`;
const APP = `kind: app
version: v3
metadata: {name: wiki, labels: {env: dev}}
spec:
  uri: http://10.0.0.4:8080
  rewrite:
    headers:
    - {name: X-Key, value: ${SECRET}}
`;
const ALL = [DB, KUBE, DESKTOP, APP].join('---\n');

test('one text enters resources of every kind, and what is given back changes nothing when it is applied', async () => {
  const made = await apply(admin, ALL);
  expect(outcomes(made)).toEqual([
    'db/shop created',
    'kube_cluster/prod created',
    'windows_desktop/win-1 created',
    'app/wiki created',
  ]);
  expect(made.items[0]?.diff).toContain('--- /dev/null\n+++ db/shop\n');
  const events = (await gateway.events()).length;

  const kinds = 'app,db,kube_cluster,windows_desktop';
  for (const query of [{ kinds }, { kinds, revisions: 'yes' as const }]) {
    const { documents, count } = await exported(admin, query);
    const again = await apply(admin, documents);

    expect(count).toBe(4);
    expect(new Set(again.items.map(({ action, diff }) => `${action}${diff}`))).toEqual(new Set(['unchanged']));
  }
  expect(await gateway.events()).toHaveLength(events);
  expect((await exported(admin, { kinds: 'windows_desktop', name: 'win-1' })).documents).toBe(
    `kind: windows_desktop\nmetadata:\n  labels:\n    empty: ""\n    env: dev\n  name: win-1\nspec:\n  addr: 10.0.0.3:3389\n  askPassword: false\n  certificate:\n    pin: ${PIN}\n  domain: CORP\n  protocol: rdp\n  signIn: password\nversion: v3\n`,
  );
});

test('secrets are sealed, in no answer and in no event, and stay while a document does not name them', async () => {
  const { dryRun: _, ...made } = await apply(admin, ALL);
  const { documents } = await exported(admin);
  const sealed = async (kind: 'app' | 'kube', id: string) =>
    await findSealed(gateway.storage.db, { cluster: 'localhost', kind, id });
  const before = [await sealed('kube', 'prod'), await sealed('app', 'wiki')];

  const changed = await apply(
    admin,
    documents
      .replace('namespaces:\n  - web', 'namespaces:\n  - web\n  - ops')
      .replace('name: wiki', 'description: new\n  name: wiki'),
  );

  expect(outcomes(changed).filter((line) => line.endsWith(' changed'))).toEqual([
    'app/wiki changed',
    'kube_cluster/prod changed',
  ]);
  expect(before.every((text) => text !== undefined)).toBe(true);
  expect([await sealed('kube', 'prod'), (await sealed('app', 'wiki')) !== undefined]).toEqual([before[0], true]);
  const told = JSON.stringify([made, documents, changed, await gateway.events()]);
  expect(told).not.toContain(SECRET);
  expect(told).toContain('# with a secret that is not shown');
  expect(documents).toContain('kept: true');
});

test('a document says the whole of it: what it leaves out is as if nobody had said it', async () => {
  await apply(admin, DB);
  const { items } = await apply(admin, DB.replace('  names: [shop]\n', '').replace('  description: of the shop\n', ''));

  expect(items[0]?.diff).toContain('-  names:\n-  - shop\n');
  const details = await call(admin.send, databaseRoutes.details, { params: { ...params, name: 'shop' } });
  expect([details.names, details.description, details.database]).toEqual([[], '', 'shop']);
  await expect(apply(admin, DB.replace('protocol: postgres', 'protocol: mysql'))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("db 'shop': spec.protocol is 'mysql'"),
  });
});

test('all of them or none, and a dry run leaves nothing behind', async () => {
  const { items } = await apply(admin, ALL, { dryRun: true });
  expect(items.map(({ action }) => action)).toEqual(Array(4).fill('created'));
  const bad = APP.replace('http://10.0.0.4:8080', 'http://169.254.169.254/');

  await expect(apply(admin, [DB, KUBE, bad].join('---\n'))).rejects.toMatchObject({ status: 400 });
  await expect(apply(admin, DB.replace('database:', 'databse:'))).rejects.toMatchObject({
    message: expect.stringContaining('databse'),
  });

  expect((await exported(admin, { kinds: 'app,db,kube_cluster,windows_desktop' })).count).toBe(0);
  const apps = await call(admin.send, appRoutes.list, { params, query: {} as never });
  expect(apps.items).toEqual([]);
});

test('a revision that is no longer held is refused', async () => {
  await apply(admin, DB);
  const { documents } = await exported(admin, { kinds: 'db', revisions: 'yes' });
  await apply(admin, DB.replace('of the shop', 'of another'));

  await expect(apply(admin, documents)).rejects.toMatchObject({ status: 412 });
});

test('whoever applies a document must be allowed what it does, before and after, and hears of nothing else', async () => {
  await apply(admin, ALL.replaceAll('env: dev', 'env: prod'));

  const hidden = await exported(ann, { kinds: 'db' });
  expect(hidden).toMatchObject({ count: 0, omitted: [] });
  for (const document of [DB, DB.replace('protocol: postgres', 'protocol: mysql'), KUBE, DESKTOP, APP])
    await expect(apply(ann, document)).rejects.toMatchObject({ status: 404 });
  const other = (text: string, name: string) => text.replace('name: shop', `name: ${name}`);
  await expect(apply(ann, other(DB, 'mine').replace('env: dev', 'env: prod'))).rejects.toMatchObject({ status: 403 });

  const mine = await apply(ann, other(DB, 'mine').replace('10.0.0.1', '10.0.0.9'), { dryRun: true }).then(
    outcomes,
    ({ message }) => message,
  );
  expect(mine).toEqual(['db/mine created']);
  expect((await call(admin.send, kubeRoutes.list, { params, query: {} as never })).items).toHaveLength(1);
});
