/** Each check of `gatehouse doctor` on a real installation: standing once, and failing for real, with the words it then has. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfMadeCertificate } from '@gatehouse/gateway/platform/tls/self-made';
import { type S3Server, startS3Server } from '@gatehouse/gateway/testing/recordings/s3-server';
import { freePort } from '@gatehouse/testkit/free-port';
import {
  cleanEnvironment,
  ended,
  type GatewayProcess,
  ROOT,
  ready,
  startGateway,
} from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

interface Check {
  name: string;
  ok: boolean;
  message: string;
  next?: string;
}

const place = mkdtempSync(join(tmpdir(), 'gatehouse-doctor-'));
const NAMES =
  'configuration gateway public-address certificate clock store bucket mail events doors agents clusters local-agent'.split(
    ' ',
  );

async function doctor(gateway: Pick<GatewayProcess, 'command' | 'dataDir'>) {
  const { code, stdout, stderr } = await gateway.command('doctor', '--data-dir', gateway.dataDir, '--format', 'json');
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  expect(stderr).toBe('');
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  expect(code).toBe(checks.every(({ ok }) => ok) ? 0 : 1);
  const check = (name: string) => checks.find((found) => found.name === name);
  const failing = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  return { checks, check, failing, code, stdout };
}

/** Everything that is there, with when it was last written. */
function footprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const { mtimeMs, size } = statSync(file);
      return `${file} ${size} ${mtimeMs}`;
    })
    .sort();
}

async function listening(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** With everything a gateway can have, and nothing wrong with it. */
let whole: GatewayProcess;
let web: number;
let bucket: S3Server;
/** Behind a proxy that tests break in their own ways, on a small file system. */
let proxied: GatewayProcess;
let origin: string;
const small = join(place, 'small');
mkdirSync(small);
/** Needs root, and a machine that lets root mount. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', small]).status === 0;

function configure(publicAddr: string): void {
  const yaml = `publicAddr: ${publicAddr}\nproxy: { behind: true, trusted: [127.0.0.1] }\n`;
  mkdirSync(join(small, 'data'), { recursive: true, mode: 0o700 });
  writeFileSync(join(small, 'data', 'gatehouse.yaml'), yaml);
}

beforeAll(async () => {
  bucket = await startS3Server();
  const { options } = bucket;
  const store = `s3://${options.bucket}/${options.prefix}?endpoint=${encodeURIComponent(options.endpoint ?? '')}`;
  const [ssh, mysql, diagnostics] = [await freePort(), await freePort(), await freePort()];
  web = await freePort();
  const proxy = await freePort();
  origin = `https://localhost:${proxy}`;
  configure(origin);
  [whole, proxied] = await Promise.all([
    startGateway({
      GATEHOUSE_LISTEN: `127.0.0.1:${web}`,
      GATEHOUSE_PUBLIC_ADDR: `localhost:${web}`,
      GATEHOUSE_TLS_SELF_MADE: 'true',
      GATEHOUSE_SSH_LISTEN: `127.0.0.1:${ssh}`,
      GATEHOUSE_DATABASES_MYSQL_LISTEN: `127.0.0.1:${mysql}`,
      GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagnostics}`,
      GATEHOUSE_RECORDINGS_STORE: store,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    startGateway({ GATEHOUSE_DATA_DIR: join(small, 'data') }),
  ]);
});
afterAll(async () => {
  await Promise.all([whole?.stop(), proxied?.stop()]);
  if (isMounted) execFileSync('umount', [small]);
  rmSync(place, { recursive: true, force: true });
});

/** In front of the proxied gateway, or of something else. */
async function serveProxy({ madeAt = Date.now(), aheadMs = 0, to = Number(new URL(proxied.origin).port) } = {}) {
  const folder = mkdtempSync(join(place, 'tls-'));
  const { cert, key } = await selfMadeCertificate({ dataDir: folder, names: ['localhost'], now: madeAt });
  const server = createTlsServer({ cert, key }, (asked, answer) => {
    const { method, url: path, headers } = asked;
    const passed = request({ host: '127.0.0.1', port: to, method, path, headers }, (response) => {
      const date = new Date(Date.now() + aheadMs).toUTCString();
      answer.writeHead(response.statusCode ?? 502, { ...response.headers, date });
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await listening(server, Number(new URL(origin).port));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { close };
}

async function startAgent(gateway: GatewayProcess, name: string): Promise<ChildProcess> {
  const made = await gateway.command('tokens', 'add', '--data-dir', gateway.dataDir, '--format', 'json');
  const { token } = JSON.parse(made.stdout);
  const args = [
    'agent',
    '--gateway',
    `https://localhost:${web}`,
    '--ca',
    join(gateway.dataDir, 'tls', 'ca.crt'),
    '--name',
    name,
  ];
  const agent = spawn(join(ROOT, 'gatehouse'), [...args, '--data-dir', join(place, name)], {
    cwd: ROOT,
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => void (await ended(agent, 'SIGKILL')));
  await expect
    .poll(async () => (await doctor(gateway)).check('agents')?.message, { timeout: 60_000 })
    .toContain('all connected');
  return agent;
}

test('a whole installation stands, says so of each part, and shows no secret', async () => {
  const { checks, failing, code, stdout } = await doctor(whole);

  expect({ failing, checks }).toMatchObject({ failing: [] });
  expect(code).toBe(0);
  const said = Object.fromEntries(checks.map(({ name, message }) => [name, message]));
  expect(said).toMatchObject({
    gateway: expect.stringMatching(/^Gatehouse \S+ runs on /),
    'public-address': expect.stringMatching(/^https:\/\/localhost:\d+ leads here/),
    certificate: expect.stringMatching(
      /is good until \d{4}-\d\d-\d\d \(89|90 days\), from .*self-made: browsers need .*ca\.crt$/,
    ),
    clock: expect.stringMatching(/UTC here, as at https:/),
    store: expect.stringMatching(/^SQLite in the data folder takes what is written; \d+ MB are free/),
    bucket: 's3://recordings/cluster/ answers',
    events: 'events are written',
    doors: expect.stringMatching(/^web at 127\.0\.0\.1:\d+, ssh at .*, mysql at .*, diagnostics at /),
    agents: 'none has joined yet',
    clusters: 'none is linked with this one',
  });
  expect(stdout).not.toContain('S3RVER');
  const text = await whole.command('doctor', '--data-dir', whole.dataDir);
  expect(text.stdout).toMatch(/^✓ configuration {3}can be read/);
});

test('an agent that stopped is named, with what to do', async () => {
  const agent = await startAgent(whole, 'web-1');
  await ended(agent, 'SIGTERM');

  await expect.poll(async () => (await doctor(whole)).failing, { timeout: 30_000 }).toEqual(['agents']);
  const { check } = await doctor(whole);

  expect(check('agents')).toEqual({
    name: 'agents',
    ok: false,
    message: expect.stringMatching(/^1 of 1 agent away: web-1 \(last seen \d{4}-/),
    next: 'on that machine: systemctl status gatehouse-agent; one that is gone for good: gatehouse agents rm web-1',
  });
  await whole.command('agents', 'rm', 'web-1', '--data-dir', whole.dataDir);
});

test('a cluster that is not there any more is named', async () => {
  const leaf = await startGateway({ GATEHOUSE_CLUSTER_NAME: 'leaf' });
  onTestFinished(() => leaf.stop());
  const token = await proxied.command('clusters', 'token', '--data-dir', proxied.dataDir, '--format', 'json');
  const { token: secret, rootKey } = JSON.parse(token.stdout);
  await serveProxy();
  const joined = await leaf.command(
    ...['clusters', 'join', proxied.origin, '--token', secret, '--root-key', rootKey, '--map', 'access=access'],
    ...['--data-dir', leaf.dataDir],
  );
  expect(joined, joined.stderr).toMatchObject({ code: 0 });
  await expect
    .poll(async () => (await doctor(proxied)).check('clusters')?.message, { timeout: 30_000 })
    .toBe('1 cluster linked, all online');

  await leaf.crash();

  await expect.poll(async () => (await doctor(proxied)).check('clusters')?.ok, { timeout: 30_000 }).toBe(false);
  expect((await doctor(proxied)).check('clusters')).toMatchObject({
    message: expect.stringMatching(/^leaf is offline/),
    next: 'look at the gateway of that cluster, there with: gatehouse doctor',
  });
  await proxied.command('clusters', 'rm', 'leaf', '--data-dir', proxied.dataDir);
});

test('a bucket that does not answer', async () => {
  await bucket.close();

  expect((await doctor(whole)).check('bucket')).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^s3:\/\/recordings\/cluster\/: the bucket of recordings does not answer: .*ECONNREFUSED/,
    ),
    next: expect.stringMatching(/^look at recordings\.store, the AWS credentials/),
  });
});

test('an expired certificate, and a clock that is an hour ahead, of the proxy in front', async () => {
  await serveProxy({ madeAt: Date.now() - 400 * 86_400_000, aheadMs: 3_600_000 });

  const { check } = await doctor(proxied);

  expect(check('public-address')).toMatchObject({ ok: true });
  expect(check('certificate')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^that of https:\/\/localhost:\d+ has expired on \d{4}-/),
    next: 'renew it at the proxy in front of the gateway',
  });
  expect(check('clock')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/UTC here, and the clock of https:\/\/localhost:\d+ is 60 min ahead$/),
    next: expect.stringContaining('timedatectl set-ntp true'),
  });
});

test('a certificate that nobody vouches for', async () => {
  await serveProxy();

  expect((await doctor(proxied)).check('certificate')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^browsers do not take that of .*: it is of an authority that nobody knows$/),
  });
});

test('a public address where nothing listens, where something else answers, and which is no name', async () => {
  expect((await doctor(proxied)).check('public-address')).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^https:\/\/localhost:\d+ cannot be reached from here: nothing listens at \S+ port \d+$/,
    ),
    next: expect.stringMatching(/^start what shall answer there/),
  });

  const other = createHttpServer((_asked, answer) => answer.end('hello'));
  onTestFinished(() => void other.close());
  const proxy = await serveProxy({ to: await listening(other) });
  expect((await doctor(proxied)).check('public-address')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/ is answered by something that is no gateway \(status 200\)$/),
  });
  await proxy.close();
  await serveProxy({ to: web });
  // It speaks TLS there, so that the proxy fails.
  expect((await doctor(proxied)).check('public-address')).toMatchObject({ ok: false });

  configure('https://gate.invalid');
  await proxied.restart();
  const { check } = await doctor(proxied);
  expect(check('public-address')).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^https:\/\/gate\.invalid cannot be reached from here: the name gate\.invalid has no address here/,
    ),
    next: 'give gate.invalid an address in the DNS, or set publicAddr to a name that has one',
  });
  expect(check('certificate')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^nobody shows one: the name /),
  });
});

test.skipIf(!isMounted)('a disk on which recordings find no room, and one that is full', async () => {
  expect((await doctor(proxied)).check('store')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^only \d+ MB are free at .*: below 200 MB sessions are not recorded$/),
    next: 'make room, or set recordings.keepFreeMegabytes lower',
  });
  const { bavail, bsize } = statfsSync(small);
  writeFileSync(join(small, 'filler'), Buffer.alloc(bavail * bsize));
  try {
    expect((await doctor(proxied)).check('store')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/the disk is full/),
      next: expect.stringMatching(/^make room at /),
    });
  } finally {
    rmSync(join(small, 'filler'));
  }
});

test('a gateway that is stopped is said to be, with what can be told, and nothing is changed by looking', async () => {
  await whole.end(['SIGTERM'], { withinMs: 30_000 });
  const before = footprint(whole.dataDir);

  const { check, failing } = await doctor(whole);

  expect(footprint(whole.dataDir)).toEqual(before);
  expect(failing).toEqual(['gateway', 'public-address', 'bucket', 'events', 'doors', 'agents', 'clusters']);
  expect(check('gateway')).toMatchObject({ message: `no gateway runs on '${whole.dataDir}'`, next: 'gatehouse start' });
  expect(check('store')?.message).toMatch(/gatehouse\.db' opens; \d+ MB are free/);
  expect(check('doors')?.message).toBe('nothing listens: the gateway is stopped');

  const taken = createServer();
  onTestFinished(() => void taken.close());
  await listening(taken, web);
  expect((await doctor(whole)).check('doors')).toMatchObject({
    message: expect.stringMatching(
      /^nothing listens, and the gateway could not: listen: 127\.0\.0\.1:\d+ is already in use/,
    ),
    next: 'end what uses it, or set another: listen',
  });

  writeFileSync(
    join(whole.dataDir, 'gatehouse.db'),
    'no database at all, but long enough to be taken for one'.repeat(20),
  );
  rmSync(join(whole.dataDir, 'gatehouse.db-wal'), { force: true });
  expect((await doctor(whole)).check('store')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^the store '.*gatehouse\.db' does not open: file is not a database$/),
  });
});

test('the agent of this machine: running, and killed', async () => {
  const dataDir = join(place, 'with-agent');
  const port = await freePort();
  const env = { ...cleanEnvironment(), GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_LISTEN: `127.0.0.1:${port}` };
  const child = spawn(join(ROOT, 'gatehouse'), ['start', '--local-agent'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => void (await ended(child, 'SIGTERM')));
  await ready(child);
  const own = { dataDir, command: whole.command };
  await expect
    .poll(async () => (await doctor(own)).check('agents')?.message, { timeout: 60_000 })
    .toBe('1 agent joined, all connected');
  const running = (await doctor(own)).check('local-agent')?.message ?? '';
  expect(running).toMatch(/^that of this machine runs \(process \d+\)$/);

  process.kill(Number(/\d+/.exec(running)?.[0]), 'SIGKILL');

  expect((await doctor(own)).check('local-agent')).toMatchObject({
    ok: false,
    message: 'that of this machine has joined, and does not run',
    next: expect.stringMatching(/^gatehouse start --local-agent runs it; its log is .*agent\.log/),
  });
});

test('a configuration that cannot be read is the one thing that is told', async () => {
  writeFileSync(join(place, 'bad.yaml'), 'listn: nowhere\n');

  const { code, stdout } = await whole.command('doctor', '--config', join(place, 'bad.yaml'), '--format', 'json');

  expect(code).toBe(1);
  expect(JSON.parse(stdout).checks).toEqual([
    {
      name: 'configuration',
      ok: false,
      message: expect.stringContaining('listn'),
      next: 'mend it, and try: gatehouse config check',
    },
  ]);
});
