/** Attacks by what is tested before it is added: whatever it answers, the test is told, counted and audited, and gives nothing away. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { failure } from '../../testing/connection-tests/server-world.ts';
import { makeTestAuthority } from '../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { createAudit } from '../platform/audit/emit.ts';
import { createSemaphore } from '../platform/std/semaphore.ts';
import { countDiagnostics, insertDiagnostic, MAX_KEPT } from '../sessions/connection-tests/diagnostic-store.ts';
import type { Draft } from '../sessions/connection-tests/draft-test.ts';
import { type AskedDraft, createTryDraft, type DraftDeps } from '../sessions/connection-tests/try-draft.ts';

const CLUSTER = { clusterId: '-current-' };
let gateway: IdentityGateway;
let admin: TestBrowser;
const servers: Server[] = [];
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await gateway.close();
});

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const draft = (kind: string, spec: object) =>
  call(admin.send, diagnosticRoutes.draft, { params: CLUSTER, body: { kind, spec: { ...spec } } });
const tellings = async () => (await gateway.events()).filter(({ code }) => code === 'GH215I');

const HIDDEN_LABEL = 'teleport.internal/resource-id';
const HIDDEN = { [HIDDEN_LABEL]: 'x' };
const NOISE = Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 167 + 13) % 256));
/** Or after a moment: some wait for its greeting. */
function whenSpokenTo(socket: Socket, end: () => unknown): void {
  socket.once('data', end);
  setTimeout(end, 300).unref();
}

/** No more than one person may test at once. */
const HOSTILE: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes at once': (socket) => void socket.end(),
  'resets at once': (socket) => void socket.resetAndDestroy(),
  'closes when spoken to': (socket) => whenSpokenTo(socket, () => socket.end()),
  'resets when spoken to': (socket) => whenSpokenTo(socket, () => socket.resetAndDestroy()),
  'says noise and closes': (socket) => void socket.end(NOISE),
};

const someone = { dbUser: 'ann', password: 'correct horse' };
const KINDS: readonly [string, (addr: string) => [kind: string, spec: object]][] = [
  ['node', (addr) => ['node', { addr }]],
  ['http', (addr) => ['app', { uri: `http://${addr}` }]],
  ['https', (addr) => ['app', { uri: `https://${addr}` }]],
  ...(['postgres', 'mysql', 'redis', 'mongodb', 'sqlserver'] as const).flatMap((protocol) =>
    (['insecure', 'off'] as const).map((mode): (typeof KINDS)[number] => [
      `${protocol} ${mode}`,
      (uri) => ['db', { protocol, uri, tls: { mode }, signIn: 'password', ...someone }],
    ]),
  ),
  ['kube', (addr) => ['kube_cluster', { server: `https://${addr}`, credential: { token: 'bearer' } }]],
  ['rdp', (addr) => ['windows_desktop', { addr }]],
  ['vnc', (addr) => ['windows_desktop', { addr, protocol: 'vnc' }]],
];

test.each(KINDS)('whatever listens there, a test of %s is an answer, and audited', async (_, specFor) => {
  const told = await Promise.all(
    Object.entries(HOSTILE).map(async ([how, onSocket]) => {
      const [kind, spec] = specFor(`127.0.0.1:${await listen(onSocket)}`);
      return await draft(kind, spec).then(
        () => [],
        (error: Error) => [`${how}: ${error.message}`],
      );
    }),
  );

  expect(told.flat()).toEqual([]);
  expect(await tellings()).toHaveLength(Object.keys(HOSTILE).length);
});

test.each([
  ['postgres', 'PostgreSQL', 'a message that says it has 1414811695 bytes'],
  ['mongodb', 'MongoDB', 'a message of 1347703880 bytes'],
])('a web server where %s was meant is told by what was meant', async (protocol, title, what) => {
  const port = await listen((socket) => whenSpokenTo(socket, () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  const spec = { protocol, uri: `127.0.0.1:${port}`, tls: { mode: 'off' }, signIn: 'password', ...someone };

  expect(failure(await draft('db', spec))).toMatchObject({
    error: `it does not speak ${title} as it should: ${what}`,
    next: 'look at the address, the port and the protocol',
  });
});

test('who tests without end pushes out their own oldest tests, no drafts, and nobody else’s', async () => {
  const { db } = gateway.storage;
  const insert = (user: string, id: string, now: number, about = true) =>
    db.transaction().execute((tx) =>
      insertDiagnostic(tx, {
        ...{ user, now, diagnostic: { id, success: false, message: '' } },
        ...(about ? { about: { kind: 'node', resource: 'web-1' } } : {}),
      }),
    );
  await insert('bob', 'of-bob', 1);
  await insert('eve', 'draft-1', 1, false);
  for (let at = 0; at < MAX_KEPT + 3; at += 1) await insert('eve', `t-${at}`, 2 + at);

  const kept = await db.selectFrom('connection_diagnostic').select('id').orderBy('time').orderBy('id').execute();
  const ids = kept.map(({ id }) => id);
  expect(ids.slice(0, 3)).toEqual(['draft-1', 'of-bob', 't-3']);
  expect(ids).toHaveLength(MAX_KEPT + 2);
});

test('a secret that is cut in the middle is not told either', async () => {
  const authority = await makeTestAuthority();
  const token = `header.${'payload'.repeat(120)}.signature`;
  const server = createTlsServer(authority.server, (request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', message: `no: ${request.headers.authorization}` }));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const told = await draft('kube_cluster', {
    ...{ server: `https://127.0.0.1:${port}`, ca: authority.ca },
    credential: { token },
  });

  const rows = await gateway.storage.db.selectFrom('connection_diagnostic').selectAll().execute();
  const kept = JSON.stringify([told, rows, await gateway.events(), gateway.logged()]);
  expect(kept).toContain('no: Bearer ***');
  expect(kept).not.toContain(token.slice(0, 12));
  server.closeAllConnections();
});

test('what TLS does not work with is an answer as well: a port that is open shows in no other way than in the audit', async () => {
  const weak = await weakIdentity();
  const port = await listen((socket) => void socket.on('data', () => socket.end()));

  const told = await draft('kube_cluster', { server: `https://127.0.0.1:${port}`, credential: weak });

  expect(failure(told)).toMatchObject({
    step: 'tls',
    error: "the certificate or key that is to be used for '127.0.0.1' is not taken by TLS: ee key too small",
  });
  expect(await tellings()).toHaveLength(1);
});

test('what does not speak TLS is told without addresses in the memory of the gateway', async () => {
  const port = await listen((socket) => void socket.end(NOISE));

  const told = await draft('app', { uri: `https://127.0.0.1:${port}` });

  expect(failure(told)?.step).toBe('tls');
  expect(failure(told)?.error).not.toMatch(/[0-9A-F]{12}|ssl\//);
});

test.each([
  ['node', (addr: string) => ({ addr, labels: HIDDEN })],
  ['app', (addr: string) => ({ uri: `http://${addr}`, labels: HIDDEN })],
  ['db', (uri: string) => ({ protocol: 'postgres', uri, labels: [{ name: HIDDEN_LABEL, value: 'x' }] })],
  ['kube_cluster', (addr: string) => ({ server: `https://${addr}`, labels: HIDDEN })],
  ['windows_desktop', (addr: string) => ({ addr, labels: HIDDEN })],
])('labels that the gateway alone gives are nobody’s to claim: %s', async (kind, specFor) => {
  let came = 0;
  const port = await listen(() => (came += 1));

  await expect(draft(kind, specFor(`127.0.0.1:${port}`))).rejects.toMatchObject({ status: 400 });
  expect(came).toBe(0);
});

test('what the gateway stumbles over has been dialled, counted and audited', async () => {
  const { db } = gateway.storage;
  const tryDraft = createTryDraft({
    ...{
      db,
      now: () => gateway.clock.now,
      audit: createAudit({ now: () => gateway.clock.now, clusterName: 'c', chain: 'gateway' }),
    },
    access: { require() {}, decide: () => ({ allowed: true }) } as unknown as DraftDeps['access'],
    places: createSemaphore({ total: 1, refuse: () => new Error('full') }),
  });
  const asked = {
    ...({ actor: { username: 'ann' } as AskedDraft['actor'], cluster: 'c', kind: 'app', spec: {} } as const),
    ...{ through: undefined, address: '10.0.0.1' },
    read: (): Draft => ({
      ...{ rule: 'app_server', name: 'wiki', labels: {}, addr: '10.0.0.5:80', secrets: [] },
      async run(steps) {
        await steps.take({ step: 'tcp', type: 'CONNECTIVITY', run: () => undefined, tell: () => 'it is open' });
        throw new TypeError('a mistake');
      },
    }),
  };

  await expect(tryDraft(asked)).rejects.toThrow('a mistake');

  expect(await tellings()).toMatchObject([{ data: { server_addr: '10.0.0.5:80', success: false } }]);
  expect(await countDiagnostics(db, { user: 'ann', prefix: 'draft-', after: 0 })).toBe(1);
});

async function weakIdentity() {
  const folder = await mkdtemp(join(tmpdir(), 'weak-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const args = ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=weak'];
  await promisify(execFile)('openssl', args);
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}
