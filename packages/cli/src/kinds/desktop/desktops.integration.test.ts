/** The command line with real desktops: one from nothing to a sign-in, one after a new certificate, and one that a real agent offers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAgentConfig } from '@gatehouse/agent/config/agent-config';
import { type Agent, startAgent } from '@gatehouse/agent/main';
import { silentLog } from '@gatehouse/agent/runtime/log';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { tunnelUrl } from '@gatehouse/gateway/testing/test-agent';
import { startShadow, type TestShadow } from '@gatehouse/testkit/desktop/shadow';
import { startSlapd } from '@gatehouse/testkit/desktop/slapd';
import { startXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

const OTHER = `sha256:${'0'.repeat(64)}`;

let line: CommandLine<IdentityGateway>;
let shadow: TestShadow;
const agents: Agent[] = [];
let addr: string;

beforeAll(async () => {
  [line, shadow] = await Promise.all([startCommandLine(() => startIdentityGateway()), startShadow()]);
  line.world.clock.now = Date.now();
  await line.world.app.listen({ host: '127.0.0.1', port: 0 });
  addr = `127.0.0.1:${shadow.port}`;
  write('password', `${shadow.password}\n`);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop('the tests are over')));
  await line?.close();
  await shadow?.stop();
});

const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text, { mode: 0o600 });
const run = (...args: string[]) => line.local('desktops', ...args);
const storePassword = (name: string) => run('password', name, shadow.user, '--password-file', 'password');

test('a desktop is added by the certificate that somebody compared, and signed in to with what is stored', async () => {
  const unasked = await run('add', 'win-1', addr);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--fingerprint sha256:')]);
  expect(unasked.stdout).toMatch(/certificate of .*\nSHA-256 +sha256:[0-9a-f]{64}\ngood until /);
  const [fingerprint = ''] = /sha256:[0-9a-f]{64}/.exec(unasked.stdout) ?? [];
  const wrong = await run('add', 'win-1', addr, '--fingerprint', OTHER);
  expect([wrong.code, wrong.stderr]).toEqual([7, expect.stringContaining('shows another certificate')]);
  expect((await run('ls')).stdout).toBe('no desktops\n');

  const asked = (typed: string) =>
    line.run(['desktops', 'add', 'asked', addr, '--data-dir', line.folder], { typed: [typed] });
  expect(await asked('no')).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') });
  expect(await asked('yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('GetCertHashString') });

  // As Windows prints it.
  const shown = fingerprint.replace('sha256:', '').toUpperCase();
  const added = await run('add', 'win-1', addr, '--labels', 'env=prod', '--fingerprint', shown);
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("desktop 'win-1' added")]);
  expect((await storePassword('win-1')).code).toBe(0);
  const tested = await run('test', 'win-1', '--login', shadow.user);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('(NLA)')]);
  expect((await run('show', 'win-1')).stdout).toMatch(new RegExp(`certificate +${fingerprint}\n`));
});

test('a name that cannot be taken is refused before anybody compares a certificate for it', async () => {
  expect((await run('add', 'taken', addr, '--yes')).code).toBe(0);
  expect(await run('add', 'taken', addr)).toMatchObject({
    ...{ code: 7, stdout: '' },
    stderr: expect.stringContaining("there is a desktop 'taken' already"),
  });
  expect(await run('add', 'Win.One', addr)).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringContaining("the name 'Win.One' must be lower-case letters"),
  });
});

test('another certificate is shown and taken by who says which, and voids what was stored', async () => {
  expect((await run('add', 'moved', addr, '--domain', 'corp.test', '--yes')).code).toBe(0);
  expect((await run('trust-certificate', 'moved')).stdout).toContain('It is known by that already.');
  const { certificate } = await line.json('desktops', 'show', 'moved');
  await line.world.storage.db
    .updateTable('resource')
    .set(({ fn, ref, val }) => ({ spec: fn('replace', [ref('spec'), val(certificate.pin), val(OTHER)]) }))
    .where('id', '=', 'moved')
    .execute();
  expect((await storePassword('moved')).code).toBe(0);
  const refused = await run('test', 'moved', '--login', shadow.user);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('✗ certificate')]);
  expect((await run('trust-certificate', 'moved', '--fingerprint', certificate.pin)).code).toBe(0);
  expect(await line.json('desktops', 'show', 'moved')).toMatchObject({ certificate, passwords: [] });
});

test('one password for all with a label is stored, listed without it, and forgotten', async () => {
  const wide = ['password', '--login', shadow.user, '--labels', 'env=prod'];
  expect((await run(...wide, '--password-file', 'password')).code).toBe(0);
  const listed = await run('passwords');
  expect(listed.stdout).toContain('env=prod');
  expect(listed.stdout).not.toContain(shadow.password);
  expect((await run('password', 'win-1', shadow.user, '--remove')).code).toBe(0);
  expect((await run('test', 'win-1', '--login', shadow.user)).stdout).toContain('(NLA)');
  expect((await run(...wide, '--remove')).code).toBe(0);
  expect((await run('test', 'win-1', '--login', shadow.user)).stdout).toContain('not tried');
  expect((await run('password', 'win-1')).code).toBe(2);
});

test('by VNC one is added as it is, and one with TLS once its certificate is accepted', async () => {
  const [plain, secure] = await Promise.all([startXvnc(), startXvnc('X509Vnc')]);
  onTestFinished(async () => void (await Promise.all([plain.stop(), secure.stop()])));
  write('vnc', `${plain.password}\n`);
  const test = (name: string) => run('test', name, '--login', 'vnc');
  for (const [name, host] of [
    ['screen', plain],
    ['safe', secure],
  ] as const)
    expect((await run('add', name, host.addr, '--protocol', 'vnc')).code).toBe(0);
  expect((await run('password', 'screen', 'vnc', '--password-file', 'vnc')).code).toBe(0);
  expect(await test('screen')).toMatchObject({ code: 0, stdout: expect.stringContaining('without TLS') });

  expect(await test('safe')).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ certificate') });
  expect((await run('trust-certificate', 'safe', '--yes')).code).toBe(0);
  expect((await run('password', 'safe', 'vnc', '--password-file', 'vnc')).code).toBe(0);
  expect(await test('safe')).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ certificate') });

  // Whoever sits there is asked when they add it, where there is something to ask about.
  const { certificate } = await line.json('desktops', 'show', 'safe');
  const asked = (name: string, host: string, ...typed: string[]) =>
    line.run(['desktops', 'add', name, host, '--protocol', 'vnc', '--data-dir', line.folder], { typed });
  expect(await asked('asked-vnc', secure.addr, 'yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('openssl x509'),
  });
  expect(await line.json('desktops', 'show', 'asked-vnc')).toMatchObject({ certificate });
  expect(await asked('bare-vnc', plain.addr)).toMatchObject({ code: 0 });
  expect((await run('add', 'taken-vnc', secure.addr, '--protocol', 'vnc', '--yes')).code).toBe(0);
  expect(await line.json('desktops', 'show', 'taken-vnc')).toMatchObject({ certificate });
  const wrong = ['--protocol', 'vnc', '--fingerprint', OTHER];
  expect((await run('add', 'wrong-vnc', secure.addr, ...wrong)).stderr).toContain('shows another certificate');
  expect((await run('add', 'wrong-vnc', plain.addr, ...wrong)).stderr).toContain('without TLS');
});

test('one that lets in whoever comes is signed in to by an agent alone', async () => {
  const open = await startXvnc('None');
  onTestFinished(() => open.stop());
  expect((await run('add', 'open', open.addr, '--protocol', 'vnc')).code).toBe(0);
  write('vnc', 'anything\n');
  await run('password', 'open', 'vnc', '--password-file', 'vnc');
  expect(await run('test', 'open', '--login', 'vnc')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('lets in whoever comes'),
  });
  const { token } = await line.json('tokens', 'add', '--desktop', `far-vnc=${open.addr}`);
  await startAgentWith([{ name: 'far-vnc', addr: open.addr, protocol: 'vnc' }], token, 'edge-vnc');
  await isListed('far-vnc');
  expect(await run('test', 'far-vnc', '--login', 'vnc')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('through an agent'),
  });
});

async function startAgentWith(desktops: unknown, token: string, name: string): Promise<void> {
  write(`${name}.yaml`, stringify({ shell: false, desktops }));
  const gateway = new URL(tunnelUrl(line.world.app)).origin.replace('ws', 'http');
  const given = { config: join(line.folder, `${name}.yaml`), gateway, token, name };
  const read = readAgentConfig({ ...given, dataDir: join(line.folder, `${name}-data`) }, {}, '/');
  agents.push(await startAgent(read, { log: silentLog, env: {} }));
}
const isListed = (name: string) =>
  expect.poll(async () => (await line.json('desktops', 'ls', name)).length, { timeout: SOON_MS }).toBe(1);

test('a real agent offers one from its file, which it alone dials, and nothing else', async () => {
  const { token } = await line.json('tokens', 'add', '--desktop', `far-1=${addr}`);
  await startAgentWith([{ name: 'far-1', addr, labels: { env: 'prod' } }], token, 'edge-1');
  await isListed('far-1');

  expect((await run('ls', 'far-1')).stdout).toContain('nobody has accepted its certificate');
  expect((await run('trust-certificate', 'far-1', '--yes')).code).toBe(0);
  expect((await storePassword('far-1')).code).toBe(0);
  const tested = await run('test', 'far-1', '--login', shadow.user);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('through an agent')]);
  expect((await run('rm', 'far-1')).stderr).toContain("agents offer the desktop 'far-1'");
  // Another address is none of those that it offers.
  const elsewhere = await run('add', 'beside', '127.0.0.1:1', '--through', 'edge-1', '--yes');
  expect([elsewhere.code, elsewhere.stderr]).toEqual([expect.any(Number), expect.stringContaining('does not allow')]);
});

test('what an agent finds in a directory is offered with its labels, and dialled by that agent', async () => {
  const slapd = await startSlapd([['CN=here,OU=Desks', { dNSHostName: 'localhost', operatingSystem: 'Windows 11' }]]);
  onTestFinished(() => slapd.stop());
  write('reader', slapd.password);
  write('ca.pem', slapd.ca);
  const { tlsUrl: url, bindDn, baseDn } = slapd;
  const files = { passwordFile: join(line.folder, 'reader'), ca: join(line.folder, 'ca.pem') };
  const { token } = await line.json('tokens', 'add', '--type=desktop', '--desktops', '*');
  await startAgentWith({ ldap: { url, bindDn, baseDn, ...files, port: shadow.port } }, token, 'edge-2');
  await isListed('localhost');

  const [found] = await line.json('desktops', 'ls', 'localhost');
  expect(found).toMatchObject({
    addr: `localhost:${shadow.port}`,
    gatehouse: { domain: 'corp.test', source: 'agent' },
  });
  expect(found.labels).toContainEqual({ name: 'ad/ou', value: 'Desks' });
  expect((await run('trust-certificate', 'localhost', '--yes')).code).toBe(0);
});
