/** Things that are about to be added, tried before: by whom, how often, and where to. */
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeRole } from '../../testing/apps/app-world.ts';
import { failure, summary } from '../../testing/connection-tests/server-world.ts';
import { type SilentPort, startSilentPort } from '../../testing/connection-tests/silent-port.ts';
import { makeTestAuthority } from '../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../../testing/test-agent.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const CLUSTER = { clusterId: '-current-' };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi';
let gateway: IdentityGateway;
let admin: TestBrowser;
const servers: Server[] = [];
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  for (const server of servers.splice(0)) server.close();
  await gateway.close();
});

interface Listening {
  port: number;
  /** How many came. */
  came(): number;
}

/** Gives this answer to who has said something. */
async function listen(answer: (said: string, socket: Socket) => string | Buffer = () => OK): Promise<Listening> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => {});
    socket.on('data', (data) => socket.write(answer(data.toString('latin1'), socket)));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, came: () => count };
}

const draft = (kind: string, spec: object, { as = admin, through = undefined as string | undefined } = {}) =>
  call(as.send, diagnosticRoutes.draft, {
    params: CLUSTER,
    body: { kind, spec: { ...spec }, ...(through ? { through } : {}) },
  });
const web = (port: number, more = {}) => ({ uri: `http://127.0.0.1:${port}`, ...more });
const tellings = async () => (await gateway.events()).filter(({ code }) => code === 'GH215I');

test('what works is told step by step, audited with its kind, read again, and saved nowhere', async () => {
  const { port } = await listen();

  const told = await draft('app', web(port, { name: 'wiki' }));

  expect(told).toMatchObject({ success: true, message: "the way to the application 'wiki' works" });
  expect(told.traces?.map(({ details }) => details)).toEqual([
    `127.0.0.1:${port} is reached directly`,
    `127.0.0.1:${port} accepts connections`,
    'it answers with 200',
  ]);
  expect(summary(told)).toEqual([
    'reach SUCCESS CONNECTIVITY',
    'tcp SUCCESS CONNECTIVITY',
    'protocol SUCCESS CONNECTIVITY',
  ]);
  expect(await tellings()).toMatchObject([
    {
      user: 'admin',
      data: { kind: 'app', draft: true, name: 'wiki', server_addr: `127.0.0.1:${port}`, success: true },
    },
  ]);
  const read = await call(admin.send, diagnosticRoutes.read, { params: { ...CLUSTER, id: told.id } });
  expect(read).toEqual(told);
  expect(await gateway.storage.db.selectFrom('resource').select('id').execute()).toEqual([]);
});

test('a refusal differs from silence, and a failed test is an answer', async () => {
  const silent: SilentPort = await startSilentPort();
  closers.push(() => silent.close());
  const closed = await freePort();

  const refused = await draft('app', web(closed));
  const begun = performance.now();
  const unanswered = await draft('app', web(silent.port));

  expect(refused.success).toBe(false);
  expect(failure(refused)).toMatchObject({
    error: `127.0.0.1:${closed} refuses the connection: nothing listens there`,
    step: 'tcp',
    next: `start the server there, or correct the port; look there what listens: ss -ltn 'sport = :${closed}'`,
  });
  expect(failure(unanswered)).toMatchObject({
    error: `no answer from 127.0.0.1:${silent.port} in 5 s: a firewall drops it, or the address is wrong`,
    step: 'tcp',
    next: `look from the machine of the gateway: nc -vz -w 5 127.0.0.1 ${silent.port}`,
  });
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('what a name leads to is shown, each family apart', async () => {
  const closed = await freePort();
  const told = await draft('app', { uri: `http://localhost:${closed}` });

  expect(told.traces?.[0]?.details).toMatch(/^localhost:\d+ is reached directly, localhost is (127\.0\.0\.1|::1)/);
  expect(failure(told)?.error).toMatch(/; tried (IPv4 127\.0\.0\.1|IPv6 ::1)/);
});

describe('nothing is dialled', () => {
  test('for who may not add such a thing, or may not test', async () => {
    const { port, came } = await listen();
    const tests = '{resources: [connection_diagnostic], verbs: [create]}';
    await makeRole(admin, 'tester', `{allow: {rules: [${tests}]}}`);
    await makeRole(
      admin,
      'adder',
      '{allow: {rules: [{resources: [app_server, node, db, kube_server, windows_desktop], verbs: [create]}]}}',
    );
    await makeRole(
      admin,
      'own',
      `{allow: {rules: [${tests}, {resources: [app_server], verbs: [create], where: 'equals(resource.metadata.labels["env"], "dev")'}]}}`,
    );
    const [tester, adder, own] = await Promise.all(
      ['tester', 'adder', 'own'].map(async (name) => {
        await gateway.addUser(name, { roles: [name] });
        return gateway.signedIn(name);
      }),
    );
    const addr = `127.0.0.1:${port}`;
    const specs = [
      ['node', { addr }],
      ['app', web(port)],
      ['db', { protocol: 'postgres', uri: addr }],
      ['kube_cluster', { server: `https://${addr}` }],
      ['windows_desktop', { addr }],
    ] as const;

    for (const as of [tester, adder])
      for (const [kind, spec] of specs)
        await expect(draft(kind, spec, { as: as! })).rejects.toMatchObject({ status: 403 });
    await expect(draft('app', web(port, { labels: { env: 'prod' } }), { as: own! })).rejects.toMatchObject({
      status: 403,
    });
    expect(came()).toBe(0);
    expect(await draft('app', web(port, { labels: { env: 'dev' } }), { as: own! })).toMatchObject({ success: true });
    expect(came()).toBe(1);
  });

  test.each([
    ['app', { uri: 'http://169.254.169.254' }],
    ['db', { protocol: 'postgres', uri: '169.254.169.254:5432' }],
    ['kube_cluster', { server: 'https://169.254.169.254' }],
    ['windows_desktop', { addr: '169.254.169.254:3389' }],
    ['app', { uri: 'http://[fd00:ec2::254]' }],
    ['app', { uri: 'http://[::ffff:a9fe:a9fe]' }],
  ])('at the addresses where clouds tell secrets: %s %j', async (kind, spec) => {
    const told = await draft(kind, spec);

    expect(failure(told)).toMatchObject({
      step: 'reach',
      error: expect.stringContaining('it is never reached'),
    });
    expect(told.traces).toHaveLength(1);
  });

  test('there through an agent either', async () => {
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const agent = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'web-1' });
    const dialled: string[] = [];
    const started: TestAgent = startAgent(agent, {
      url: tunnelUrl(gateway.app),
      onDial: (target) => void dialled.push(target),
    });
    closers.push(() => started.close({ drainMs: 0 }));
    await expect.poll(() => started.taken.length, { timeout: 5_000 }).toBe(1);
    const { port } = await listen();

    const forbidden = await draft('app', { uri: 'http://169.254.169.254' }, { through: 'web-1' });
    const good = await draft('app', web(port), { through: 'web-1' });

    expect(failure(forbidden)?.error).toContain('it is never reached');
    expect(good).toMatchObject({ success: true });
    expect(good.traces?.[0]?.details).toContain('through an agent in its network, which answers in');
    expect(dialled).toEqual([`tcp:127.0.0.1:${port}`]);
  });

  test('at the gateway itself, or at its own machine as a server by who may not edit roles', async () => {
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const { port: own } = gateway.app.server.address() as AddressInfo;
    const rules = '{resources: [connection_diagnostic, node], verbs: [create]}';
    await makeRole(admin, 'servers', `{allow: {rules: [${rules}]}}`);
    await gateway.addUser('sue', { roles: ['servers'] });
    const sue = await gateway.signedIn('sue');
    const { port, came } = await listen();

    expect(failure(await draft('app', web(own)))?.error).toContain('is the gateway itself');
    expect(failure(await draft('node', { addr: `127.0.0.1:${port}` }, { as: sue }))?.error).toContain(
      'is the machine the gateway runs on',
    );
    expect(came()).toBe(0);
  });

  test('through an agent that the caller may not know of', async () => {
    await expect(draft('app', web(1), { through: 'no-such' })).rejects.toMatchObject({ status: 404 });
  });

  test('by what cannot be read', async () => {
    for (const [kind, spec] of [
      ['app', { uri: 'ftp://x' }],
      ['app', {}],
      ['node', { addr: 'no port' }],
      ['db', { protocol: 'oracle', uri: 'x:1' }],
      ['kube_cluster', { server: 'http://x' }],
      ['windows_desktop', { addr: 'x' }],
    ] as const)
      await expect(draft(kind, spec)).rejects.toMatchObject({ status: 400 });
    await expect(draft('printer', {})).rejects.toMatchObject({ status: 501 });
    expect(await tellings()).toEqual([]);
  });
});

test('sixty an hour and person, whichever gateway was asked, and not one more', async () => {
  const { port, came } = await listen();
  for (let count = 0; count < 60; count += 1) await draft('app', web(port));

  await expect(draft('app', web(port))).rejects.toMatchObject({ status: 429 });
  expect(came()).toBe(60);
  await gateway.addUser('other', { roles: ['editor'] });
  expect(await draft('app', web(port), { as: await gateway.signedIn('other') })).toMatchObject({ success: true });
  gateway.clock.now += 3_600_001;
  admin = await gateway.signedIn('admin');
  expect(await draft('app', web(port))).toMatchObject({ success: true });
});

test('of those that begin at once none is one too many', async () => {
  const { port, came } = await listen();
  const { now } = gateway.clock;
  const row = { user: 'admin', time: now, expires: now + 86_400_000, data: '{}' };
  await gateway.storage.db
    .insertInto('connection_diagnostic')
    .values(Array.from({ length: 58 }, (_, at) => ({ ...row, id: `draft-${at}` })))
    .execute();

  const all = await Promise.allSettled(Array.from({ length: 5 }, () => draft('app', web(port))));

  expect(all.flatMap((each) => (each.status === 'rejected' ? [each.reason.status] : []))).toContain(429);
  expect(came()).toBeLessThanOrEqual(2);
});

test('tests that another gateway made count as well', async () => {
  const { port } = await listen();
  const { now } = gateway.clock;
  const row = { user: 'admin', time: now, expires: now + 86_400_000, data: '{}' };
  await gateway.storage.db
    .insertInto('connection_diagnostic')
    .values(Array.from({ length: 60 }, (_, at) => ({ ...row, id: `draft-${at}` })))
    .execute();

  await expect(draft('app', web(port))).rejects.toMatchObject({ status: 429 });
});

test('five at once', async () => {
  const silent = await startSilentPort();
  closers.push(() => silent.close());

  const all = await Promise.allSettled(Array.from({ length: 7 }, () => draft('app', web(silent.port))));

  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(all.flatMap((each) => (each.status === 'rejected' ? [each.reason.status] : []))).toEqual([429, 429]);
});

test('a target that repeats what it was shown is not repeated', async () => {
  const authority = await makeTestAuthority();
  const token = 'very-secret-bearer';
  const server = createTlsServer(authority.server, (request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', message: `no: ${request.headers.authorization}\u001b[2J` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;

  const told = await draft('kube_cluster', {
    server: `https://127.0.0.1:${port}`,
    ca: authority.ca,
    credential: { token },
  });

  expect(summary(told)).toEqual([
    'reach SUCCESS CONNECTIVITY',
    'tcp SUCCESS CONNECTIVITY',
    'tls SUCCESS CONNECTIVITY',
    'login FAILED CONNECTIVITY',
  ]);
  expect(failure(told)?.error).toContain('no: Bearer ***');
  const rows = await gateway.storage.db.selectFrom('connection_diagnostic').selectAll().execute();
  const kept = JSON.stringify([told, rows, await gateway.events(), gateway.logged()]);
  expect(kept).not.toContain(token);
  expect(kept).not.toContain('\\u001b');
});

test.each([
  ['SSH-2.0-OpenSSH_9.6\r\n', 'does not answer as a web server does'],
  ['HTTP/1.1 200 OK\r\nbad header\r\n\r\n', 'does not answer as a web server does'],
])('what speaks something else is told from a web server: %j', async (words, told) => {
  const { port } = await listen(() => words);

  expect(failure(await draft('app', web(port)))).toMatchObject({
    error: expect.stringContaining(told),
    step: 'protocol',
    next: expect.stringContaining(`curl -v 'http://127.0.0.1:${port}/'`),
  });
});

test('whether websockets are taken at its address is told, asked behind its page on the same connection', async () => {
  const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n';
  const { port, came } = await listen((said) => (/upgrade: websocket/i.test(said) ? upgraded : OK));

  const told = await draft('app', web(port));

  expect(told.traces?.at(-1)?.details).toBe('it answers with 200; websockets are taken at /');
  expect(came()).toBe(1);
});

test('a page that never ends is an answer all the same', async () => {
  const { port } = await listen(() => 'HTTP/1.1 200 OK\r\n\r\nmore');

  expect((await draft('app', web(port))).traces?.at(-1)?.details).toBe('it answers with 200');
});

test.each([
  ['http://10.0.0.5/login', '--redirect 10.0.0.5'],
  ['/login', undefined],
  ["http://x';rm -rf ~;'/", undefined],
])('where it sends people on is told: %s', async (location, advice) => {
  const { port } = await listen(() => `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);

  const told = await draft('app', web(port, { name: 'wiki' }));

  const next = told.traces?.at(-1)?.gatehouse?.next;
  if (advice === undefined) expect(next).toBeUndefined();
  else expect(next).toContain(advice);
  expect(told.success).toBe(true);
});

test('an application that is there is tested as it is opened: who may, the way, what it answers', async () => {
  const { port, came } = await listen();
  await call(admin.send, appRoutes.add, {
    params: CLUSTER,
    body: { name: 'wiki', uri: `http://127.0.0.1:${port}`, labels: { env: 'dev' } },
  });
  const rules =
    'rules: [{resources: [app_server], verbs: [list, read]}, {resources: [connection_diagnostic], verbs: [create]}]';
  await makeRole(admin, 'dev', `{allow: {app_labels: {env: dev}, ${rules}}}`);
  await makeRole(admin, 'none', `{allow: {app_labels: {env: prod}, ${rules}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  await gateway.addUser('bob', { roles: ['none'] });
  const tried = (as: TestBrowser, resource_name: string) =>
    call(as.send, diagnosticRoutes.connect, { params: CLUSTER, body: { resource_kind: 'app', resource_name } });

  const good = await tried(await gateway.signedIn('ann'), 'wiki');
  const hidden = await tried(await gateway.signedIn('bob'), 'wiki');

  expect(good).toMatchObject({ success: true, message: "you can open the application 'wiki'" });
  expect(summary(good).map((line) => line.split(' ')[0])).toEqual(['access', 'access', 'reach', 'tcp', 'protocol']);
  expect(failure(hidden)).toMatchObject({ step: 'access', error: "application 'wiki' not found" });
  expect(came()).toBe(1);
  expect((await tellings())[0]).toMatchObject({ data: { kind: 'app', resource_kind: 'app', resource_name: 'wiki' } });
});
