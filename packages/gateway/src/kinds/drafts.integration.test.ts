/** Things that are about to be added, tried against the real ones, with what is typically wrong with each and the words for it. */
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { startShadow } from '@gatehouse/testkit/desktop/shadow';
import { startXrdp, XRDP_TURN_MS } from '@gatehouse/testkit/desktop/xrdp';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { startNginx, startNginxWith } from '@gatehouse/testkit/nginx';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { startSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { failure, summary } from '../../testing/connection-tests/server-world.ts';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '../../testing/db/secure-mariadb.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../testing/db/secure-postgres.ts';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '../../testing/db/secure-redis.ts';
import { makeTestAuthority, type TestAuthority } from '../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
let authority: TestAuthority;
beforeAll(async () => {
  [gateway, authority] = await Promise.all([startIdentityGateway(), makeTestAuthority()]);
  // Certificates look at their own clock.
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterAll(() => gateway?.close());

const draft = (kind: string, spec: object) =>
  call(admin.send, diagnosticRoutes.draft, {
    params: { clusterId: '-current-' },
    body: { kind, spec: { ...spec } },
  });
const steps = async (told: ReturnType<typeof draft>) =>
  summary(await told).map((line) => line.split(' ').slice(0, 2).join(' '));
const REACHED = ['reach SUCCESS', 'tcp SUCCESS'];

test('sshd: its host keys are shown, another key than the given one is told, and nginx is no sshd', async () => {
  const [sshd, nginx] = await Promise.all([startSshd(), startNginx({ files: { 'index.html': 'hi' } })]);
  onTestFinished(async () => {
    await sshd.stop();
    await nginx.stop();
  });

  const good = await draft('node', { addr: sshd.addr, name: 'box' });
  const shown = /SHA256:\S{43}/.exec(good.traces?.at(-1)?.details ?? '')?.[0] ?? '';
  const pinned = await draft('node', { addr: sshd.addr, hostFingerprint: shown });
  const other = await draft('node', { addr: sshd.addr, hostFingerprint: `SHA256:${'A'.repeat(43)}` });
  const web = await draft('node', { addr: `127.0.0.1:${nginx.port}` });

  expect(summary(good).at(-1)).toBe('ssh SUCCESS CONNECTIVITY');
  expect(good.traces?.at(-1)?.gatehouse).toMatchObject({
    next: expect.stringMatching(/ssh-keygen -lf .*ssh_host_(ed25519|rsa|ecdsa)_key\.pub$/),
    shown,
  });
  expect(pinned.traces?.at(-1)?.gatehouse).not.toHaveProperty('shown');
  expect(pinned.traces?.at(-1)?.details).toBe(`it proved the host key ${shown}`);
  expect(failure(other)).toMatchObject({ step: 'ssh', error: expect.stringContaining('another host key') });
  expect(failure(web)).toMatchObject({ step: 'ssh', error: expect.stringContaining('does not speak SSH') });
});

test('nginx: TLS by an unknown authority, plain words on a TLS port, a redirect elsewhere', async () => {
  const [tls, away] = await Promise.all([
    startNginx({ files: { 'index.html': 'hi' }, tls: authority.server }),
    startNginxWith((_, port) => `server { listen 127.0.0.1:${port}; return 302 http://10.0.0.5/; }`),
  ]);
  onTestFinished(async () => {
    await tls.stop();
    await away.stop();
  });
  const uri = `https://127.0.0.1:${tls.port}`;

  const good = await draft('app', { uri, ca: authority.ca, name: 'wiki' });
  const unknown = await draft('app', { uri });
  const plain = await draft('app', { uri: `https://127.0.0.1:${away.port}` });
  const redirected = await draft('app', { uri: `http://127.0.0.1:${away.port}`, name: 'wiki' });

  expect(good.success).toBe(true);
  expect(good.traces?.map(({ details }) => details).slice(2)).toEqual([
    'its certificate is good for 127.0.0.1, for 1 more day',
    'it answers with 200',
  ]);
  expect(good.traces?.[2]?.gatehouse?.next).toBe('renew its certificate');
  expect(failure(unknown)).toMatchObject({
    step: 'tls',
    error: expect.stringContaining('an authority nobody knows vouches for it'),
    next: 'give its authority as CA, or the name in its certificate as server name',
  });
  expect(failure(plain)).toMatchObject({ step: 'tls', error: expect.stringContaining('does not speak TLS') });
  expect(redirected.traces?.at(-1)).toMatchObject({
    details: 'it answers with 302, and sends people on to 10.0.0.5, where they do not get by the gateway',
    gatehouse: { next: expect.stringContaining('--redirect 10.0.0.5') },
  });
});

describe('PostgreSQL', () => {
  let postgres: SecurePostgres;
  beforeAll(async () => {
    postgres = await startSecurePostgres();
  });
  afterAll(() => postgres?.stop());
  const shop = (more = {}) => {
    const { port, ca, database } = postgres;
    return { protocol: 'postgres', uri: `localhost:${port}`, tls: { ca }, database, signIn: 'password', ...more };
  };

  test('with TLS: every step, or as far as nobody has to sign in', async () => {
    expect(await steps(draft('db', shop()))).toEqual([...REACHED, 'tls SUCCESS']);
    expect(await steps(draft('db', shop({ dbUser: 'by_scram', password: PASSWORD })))).toEqual([
      ...REACHED,
      ...['tls SUCCESS', 'protocol SUCCESS', 'login SUCCESS', 'name SUCCESS', 'rights SUCCESS'],
    ]);
  });

  test('a wrong password, a user pg_hba.conf does not let in, and a database that is not there are told apart', async () => {
    const wrong = await draft('db', shop({ dbUser: 'by_scram', password: 'not-the-password' }));
    const unknown = await draft('db', shop({ dbUser: 'nobody', password: 'x' }));
    const missing = await draft('db', shop({ dbUser: 'by_scram', password: PASSWORD, database: 'nothing' }));

    expect(summary(wrong).at(-1)).toBe('login FAILED DATABASE_DB_USER');
    expect(JSON.stringify(wrong)).not.toContain('not-the-password');
    expect(failure(unknown)).toMatchObject({
      step: 'login',
      next: expect.stringContaining(`hostssl ${postgres.database} nobody 127.0.0.1/32 scram-sha-256`),
    });
    expect(summary(missing).at(-1)).toBe('name FAILED DATABASE_DB_NAME');
    expect(failure(missing).next).toContain('CREATE DATABASE "nothing"');
  });

  test('one without TLS says so, with what to set', async () => {
    const plain = await startPostgres();
    onTestFinished(() => plain.stop());

    const told = await draft('db', { protocol: 'postgres', uri: `127.0.0.1:${plain.port}` });

    expect(failure(told).step).toBe('tls');
    expect(`${failure(told).error} ${failure(told).next}`).toMatch(/TLS[\s\S]*ssl ?= ?on/i);
  });

  test('another server than the one that was meant is told', async () => {
    const told = await draft(
      'db',
      shop({ protocol: 'mysql', dbUser: 'somebody', password: 'not-the-password', database: '' }),
    );

    expect(failure(told)).toMatchObject({
      step: 'tls',
      error: 'it does not greet who comes: is it MySQL or MariaDB?',
      next: expect.stringContaining('look at the address, the port and the protocol'),
    });
  });
});

test('MariaDB and Redis: every step, and a wrong password', async () => {
  const [mariadb, redis] = await Promise.all([startSecureMariadb(), startSecureRedis()]);
  onTestFinished(async () => {
    await mariadb.stop();
    await redis.stop();
  });
  const maria = { protocol: 'mysql', uri: `127.0.0.1:${mariadb.port}`, tls: { ca: mariadb.ca }, signIn: 'password' };
  const cache = { protocol: 'redis', uri: `127.0.0.1:${redis.port}`, tls: { ca: redis.ca }, signIn: 'password' };

  const all = [
    ...[...REACHED, 'tls SUCCESS', 'protocol SUCCESS'],
    ...['login SUCCESS', 'name SUCCESS', 'rights SUCCESS'],
  ];
  expect(await steps(draft('db', { ...maria, dbUser: 'by_native', password: MARIADB_PASSWORD }))).toEqual(all);
  expect(failure(await draft('db', { ...maria, dbUser: 'by_native', password: 'wrong' })).step).toBe('login');
  const asCache = await draft('db', { ...cache, dbUser: 'app', password: REDIS_PASSWORD });
  expect(await steps(Promise.resolve(asCache))).toEqual(all);
  expect(asCache.traces?.at(-1)?.details).toContain('it answers');
  expect(failure(await draft('db', { ...cache, dbUser: 'default', password: 'wrong' }))).toMatchObject({
    step: 'login',
  });
});

test('Kubernetes: every step, a token nobody knows, and what may not act as others with the role to apply', async () => {
  const cluster = await startKubeCluster();
  onTestFinished(() => cluster.stop());
  const spec = { server: cluster.url, ca: cluster.ca };
  const small = cluster.token({ user: 'gatehouse', groups: [] });

  expect(await steps(draft('kube_cluster', spec))).toEqual([...REACHED, 'tls SUCCESS']);
  expect(
    await steps(draft('kube_cluster', { ...spec, credential: { token: cluster.adminToken }, groups: ['view'] })),
  ).toEqual([...REACHED, 'tls SUCCESS', 'login SUCCESS', 'rights SUCCESS']);
  const unknown = await draft('kube_cluster', { ...spec, credential: { token: 'no-such-token' } });
  const powerless = await draft('kube_cluster', { ...spec, credential: { token: small }, groups: ['view'] });
  expect(failure(unknown)).toMatchObject({
    step: 'login',
    error: expect.stringContaining('does not know what the gateway shows it'),
  });
  expect(JSON.stringify(unknown)).not.toContain('no-such-token');
  expect(failure(powerless)).toMatchObject({ step: 'rights', next: expect.stringContaining('kind: ClusterRole') });
});

test('xrdp: what it shows is to be compared, and another certificate than the given one is told; sshd is no desktop', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const [xrdp, sshd] = await Promise.all([startXrdp(), startSshd()]);
  onTestFinished(async () => {
    await xrdp.stop();
    await sshd.stop();
  });

  const good = await draft('windows_desktop', { addr: xrdp.addr, name: 'desk' });
  const next = good.traces?.at(-1)?.gatehouse?.next ?? '';
  const pin = /sha256:[0-9a-f]{64}/.exec(next)?.[0];
  const other = await draft('windows_desktop', { addr: xrdp.addr, certificate: { pin: `sha256:${'0'.repeat(64)}` } });
  const known = await draft('windows_desktop', { addr: xrdp.addr, certificate: { pin } });
  const ssh = await draft('windows_desktop', { addr: sshd.addr });

  expect(good.success).toBe(true);
  expect(next).toContain(`gatehouse desktops add desk ${xrdp.addr} --fingerprint sha256:`);
  expect(failure(other)).toMatchObject({
    step: 'tls',
    error: expect.stringContaining(`'${xrdp.addr}' shows another certificate`),
  });
  expect(known.traces?.at(-1)?.details).toContain('is the one it is to be known by');
  expect(failure(ssh).step).toBe('protocol');
});

test('a host with nothing but the old security of RDP is refused, with the policy to change', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const xrdp = await startXrdp({ security: 'rdp' });
  onTestFinished(() => xrdp.stop());

  expect(failure(await draft('windows_desktop', { addr: xrdp.addr }))).toMatchObject({
    step: 'protocol',
    error: 'the host has only the old security of RDP, which is refused',
    next: expect.stringContaining("'Require use of specific security layer' set to SSL"),
  });
});

test('a desktop is signed in to over the certificate that was given alone', async () => {
  const shadow = await startShadow();
  onTestFinished(() => shadow.stop());
  const desk = { addr: `127.0.0.1:${shadow.port}`, login: shadow.user, password: shadow.password };

  const unknown = await draft('windows_desktop', desk);
  const pin = /sha256:[0-9a-f]{64}/.exec(unknown.traces?.at(-2)?.gatehouse?.next ?? '')?.[0];
  const known = await draft('windows_desktop', { ...desk, certificate: { pin } });
  const wrong = await draft('windows_desktop', { ...desk, certificate: { pin }, password: 'Wr0ng-secret' });

  expect(unknown.success).toBe(true);
  expect(unknown.traces?.at(-1)?.details).toContain('not tried');
  expect(known.traces?.at(-1)).toMatchObject({
    status: 'SUCCESS',
    details: `it takes the password of '${shadow.user}' (NLA)`,
  });
  expect(failure(wrong).step).toBe('login');
  expect(JSON.stringify([wrong, await gateway.events()])).not.toContain('Wr0ng-secret');
});
