/** Real databases, a Kubernetes cluster and a desktop of a leaf, used by somebody of its root through the relay, until they are locked at the root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { DB_TCP_SOCKET } from '@gatehouse/contract/kinds/db/databases';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { XRDP_TURN_MS } from '@gatehouse/testkit/desktop/xrdp';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAppWorld } from '../../testing/apps/app-world.ts';
import { startDbWorld, startDbWorldOf } from '../../testing/db/db-world.ts';
import { EditorPage } from '../../testing/db/editor-page.ts';
import { startSecurePostgres } from '../../testing/db/secure-postgres.ts';
import { PASSWORD, startSecureRedis } from '../../testing/db/secure-redis.ts';
import { startDesktopWorld } from '../../testing/desktop/desktop-world.ts';
import { startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import type { IdentityGateway } from '../../testing/identity-gateway.ts';
import { BrowsePage } from '../../testing/kube/browse-page.ts';
import { startKubeWorld } from '../../testing/kube/kube-world.ts';
import { LEAF, makeLeaf } from '../../testing/relay/leaf-world.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

/** A root of the gateway, and somebody there who has that role at the leaf. */
async function rootOf(gateway: IdentityGateway, local = 'dev'): Promise<{ root: TestCluster; ann: TestBrowser }> {
  const root = await startCluster('home');
  onTestFinished(() => root.close());
  await makeLeaf(root, gateway, [{ remote: 'access', local: [local] }]);
  return { root, ann: await root.signedIn('ann') };
}

/** A port of this machine that leads to something of the leaf through the root. */
async function tunnel(root: TestCluster, who: TestBrowser, door: string, name: string, query = {}): Promise<number> {
  const { token } = await call(who.send, apiTokenRoutes.create, { body: { name: 'tunnel', scope: 'all' } });
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    openTcpStream({ origin: root.origin, token, door, clusterId: LEAF, name, query, userAgent: 'test' }).then(
      (far) => {
        far.on('error', () => socket.destroy());
        far.on('close', () => socket.destroy());
        socket.on('close', () => far.destroy());
        socket.pipe(far).pipe(socket);
      },
      () => socket.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Locked at the root, they have nothing at the leaf within moments, whichever sign-in of theirs it stood on. */
async function endsByLock(root: TestCluster, gateway: IdentityGateway, closed: Promise<unknown>): Promise<void> {
  const from = performance.now();
  await call(root.admin.send, lockRoutes.create, {
    params: { clusterId: 'home' },
    body: { targets: { user: 'ann' }, message: 'gone' },
  });
  await closed;
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  const founder = await gateway.signedIn('founder');
  const list = async () => (await call(founder.send, sessionRoutes.list, { params: { clusterId: LEAF } })).sessions;
  await vi.waitFor(async () => expect((await list()) ?? []).toEqual([]), { timeout: SOON_MS });
}

test('PostgreSQL of the leaf: a tunnel and the workbench', async () => {
  const postgres = await startSecurePostgres();
  onTestFinished(() => postgres.stop());
  const leaf = await startDbWorld(postgres);
  onTestFinished(() => leaf.close());
  const { root, ann } = await rootOf(leaf.gateway);

  const port = await tunnel(root, ann, DB_TCP_SOCKET, 'shop', { dbUser: 'by_scram', dbName: postgres.database });
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: postgres.database });
  const dropped = new Promise<void>((resolve) => void client.once('end', () => resolve()));
  client.on('error', () => {});
  await client.connect();
  expect((await client.query('select current_user, 6 * 7 as answer')).rows).toEqual([
    { current_user: 'by_scram', answer: 42 },
  ]);

  const page = new EditorPage({ origin: root.origin, who: ann });
  await page.next('ready');
  expect((await page.run("select 'in the workbench'")).rows).toEqual([['in the workbench']]);
  await vi.waitFor(async () => {
    const events = await leaf.gateway.events();
    expect(events).toContainEqual(expect.objectContaining({ code: 'TDB02I', user: 'root/ann' }));
  });
  await endsByLock(root, leaf.gateway, Promise.all([page.closing, dropped]));
});

test('Redis of the leaf: a tunnel', async () => {
  const redis = await startSecureRedis();
  onTestFinished(() => redis.stop());
  const leaf = await startDbWorldOf({
    ...{ protocol: 'redis', port: redis.port, ca: redis.ca, database: '', dbNames: ['0'] },
    ...{ dbUsers: ['app'], password: PASSWORD },
  });
  onTestFinished(() => leaf.close());
  const { root, ann } = await rootOf(leaf.gateway);
  const port = await tunnel(root, ann, DB_TCP_SOCKET, 'shop', { dbUser: 'app', dbName: '0' });

  const child = spawn('redis-cli', ['-p', String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end('ACL WHOAMI\nSET k v\n');
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece;
  });
  await once(child, 'close');

  expect(said).toBe('app\nOK\n');
});

test('a TCP application of the leaf', async () => {
  const leaf = await startAppWorld();
  onTestFinished(() => leaf.close());
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  onTestFinished(() => void echo.close());
  await leaf.add('bytes', `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  const { root, ann } = await rootOf(leaf.gateway);
  const { token } = await call(ann.send, apiTokenRoutes.create, { body: { name: 'tunnel', scope: 'all' } });

  const far = await openTcpStream({
    ...{ origin: root.origin, token, door: APP_TCP_SOCKET, clusterId: LEAF, name: 'bytes', userAgent: 'test' },
  });
  far.on('error', () => {});
  far.write('there and back');
  const [heard] = await once(far, 'data');

  expect(String(heard)).toBe('there and back');
  await endsByLock(root, leaf.gateway, new Promise<void>((resolve) => void far.once('close', () => resolve())));
});

test('a Kubernetes cluster of the leaf: what it has, and what changes', async () => {
  const leaf = await startKubeWorld();
  onTestFinished(() => leaf.close());
  const { root, ann } = await rootOf(leaf.gateway, 'role-ann');
  const configMap = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
  });
  leaf.cluster.put(configMap('first'));

  const page = new BrowsePage(root.origin, ann);
  expect(await page.until('ready')).toMatchObject({ user: 'root/ann', groups: ['edit'] });
  page.ask({ type: 'list', apiGroup: '', apiVersion: 'v1', resource: 'configmaps', namespace: 'default' });
  await page.until('rows', ({ rows }) => rows.some(({ name }) => name === 'first'));
  leaf.cluster.put(configMap('second'));
  await page.until('rows', ({ rows }) => rows.some(({ name }) => name === 'second'));

  await endsByLock(root, leaf.gateway, page.closing);
});

test('a desktop of the leaf is drawn', { timeout: XRDP_TURN_MS }, async () => {
  const leaf = await startDesktopWorld();
  onTestFinished(() => leaf.close());
  const { root, ann } = await rootOf(leaf.gateway);

  const { page, client } = await leaf.open(ann, undefined, root.origin);
  // Before anything is drawn it is black.
  const colour = async () => (await client.colourAt(780, 580)).reduce((sum, value) => sum + value, 0);
  await expect.poll(colour, { timeout: SOON_MS }).toBeGreaterThan(0);

  await endsByLock(root, leaf.gateway, page.closing);
});
