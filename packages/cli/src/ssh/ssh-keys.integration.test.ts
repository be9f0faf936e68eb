/** What `gatehouse login` and `config ssh` leave for ssh, as ssh and ssh-keygen read it. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call } from '@gatehouse/contract/wire/client';
import { join as joinCluster, startCluster } from '@gatehouse/gateway/testing/federation/two-clusters';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';
import { RENEW_BEFORE_MS } from './get-keys.ts';

const run = promisify(execFile);
const DOOR = { listen: { host: '127.0.0.1', port: 3022 } };
let line: CommandLine<IdentityGateway>;
let ann: TestBrowser;
let address: string;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway({ settings: { ssh: DOOR } }));
  ({ address, ann } = await open(line.world));
});
afterEach(() => line.close());

async function open(gateway: IdentityGateway) {
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.addUser('ann', { roles: ['editor'] });
  const at = `http://localhost:${(gateway.app.server.address() as AddressInfo).port}`;
  return { address: at, ann: await gateway.signedIn('ann') };
}

async function login(at = address, browser = ann) {
  const answered = Promise.withResolvers<unknown>();
  const result = await line.run(['login', at], {
    onStderr: (text) => {
      const requestId = /\/web\/cli\/([0-9a-f]+)/.exec(text)?.[1];
      if (requestId)
        answered.resolve(
          call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } }),
        );
    },
  });
  await answered.promise;
  expect(result.code, result.stderr).toBe(0);
  return result;
}

const ssh = (...path: string[]) => join(line.folder, '.config', 'gatehouse', 'ssh', ...path);
const own = (name: string) => ssh('localhost', name);
const config = () => join(line.folder, '.ssh', 'config');
/** What ssh makes of it, by key. */
async function settings(host: string): Promise<Record<string, string>> {
  const { stdout } = await run('ssh', ['-F', config(), '-G', host]);
  return Object.fromEntries(stdout.split('\n').map((each) => [each.split(' ', 1)[0], each.replace(/^\S+ /, '')]));
}

test('login gets a key certified for ssh, another one each time, and logout takes both away', async () => {
  const { stdout } = await login();
  expect(stdout).toContain('for ssh: gatehouse config ssh --write once, then ssh <login>@<server>.localhost\n');
  expect(readdirSync(ssh('localhost')).sort()).toEqual(['gateway.json', 'id', 'id-cert.pub', 'id.pub', 'known_hosts']);
  for (const name of readdirSync(ssh('localhost'))) expect(statSync(own(name)).mode & 0o777, name).toBe(0o600);
  expect(statSync(ssh('localhost')).mode & 0o777).toBe(0o700);

  // The two halves belong together, and the certificate to them.
  const { stdout: half } = await run('ssh-keygen', ['-y', '-f', own('id')]);
  expect(readFileSync(own('id.pub'), 'utf8').split(' ').slice(0, 2).join(' ').trim()).toBe(
    half.split(' ').slice(0, 2).join(' ').trim(),
  );
  const { stdout: told } = await run('ssh-keygen', ['-L', '-f', own('id-cert.pub')]);
  const { stdout: fingerprint } = await run('ssh-keygen', ['-l', '-f', own('id')]);
  expect(told).toContain('Type: ssh-ed25519-cert-v01@openssh.com user certificate');
  expect(told).toContain(`ED25519-CERT ${fingerprint.split(' ')[1]}`);
  expect(told).toMatch(/Key ID: "user=ann sign-in=\S+"/);
  expect(readFileSync(own('known_hosts'), 'utf8')).toMatch(
    /^@cert-authority localhost,\[localhost\]:3022,\*\.localhost ssh-ed25519 \S+\n$/,
  );

  const before = readFileSync(own('id'), 'utf8');
  await login();
  expect(readFileSync(own('id'), 'utf8')).not.toBe(before);
  await run('ssh-keygen', ['-L', '-f', own('id-cert.pub')]);

  const certificates = () => call(ann.send, sshCertificateRoutes.list, {});
  const held = (await certificates()).length;
  expect((await line.run(['logout'])).code).toBe(0);
  expect(existsSync(ssh('localhost'))).toBe(false);
  // What stood on that sign-in is worth nothing any more, and not listed.
  expect((await certificates()).length).toBe(held - 1);
});

test('a gateway that takes no ssh leaves nothing, and says so when asked for the configuration', async () => {
  const plain = await startIdentityGateway();
  onTestFinished(() => plain.close());
  const other = await open(plain);
  const { stdout, stderr } = await login(other.address, other.ann);
  expect(stdout).not.toContain('ssh');
  expect(stderr).not.toContain('note: nothing was written');
  expect(existsSync(ssh())).toBe(false);
  expect(await line.run(['config', 'ssh'])).toMatchObject({ code: 1, stderr: expect.stringContaining('ssh.listen') });
});

test('config ssh --write adds one line before what is there, which stays as it is with its link and its mode', async () => {
  await login();
  const mine = Buffer.from('# \xe9\nHost *\n  User me\n', 'latin1');
  mkdirSync(join(line.folder, '.ssh'));
  writeFileSync(join(line.folder, 'dotfile'), mine);
  chmodSync(join(line.folder, 'dotfile'), 0o640);
  symlinkSync('../dotfile', config());

  const { stdout: printed } = await line.run(['config', 'ssh']);
  expect(existsSync(ssh('config'))).toBe(false);
  expect(await line.run(['config', 'ssh', '--write'])).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: expect.stringContaining("hosts that end in '.localhost' are reached through localhost\n"),
  });
  expect(readFileSync(ssh('config'), 'utf8')).toContain(printed);
  const written = readFileSync(config());
  expect(written).toEqual(Buffer.concat([Buffer.from(`Include ${ssh('config')}\n`), mine]));
  expect(lstatSync(config()).isSymbolicLink()).toBe(true);
  expect(statSync(config()).mode & 0o777).toBe(0o640);
  await line.run(['config', 'ssh', '--write']);
  expect(readFileSync(config())).toEqual(written);

  expect(await settings('web-1.localhost')).toMatchObject({
    ...{ proxyjump: 'gatehouse-localhost', identityfile: own('id'), certificatefile: own('id-cert.pub') },
    ...{ identitiesonly: 'yes', userknownhostsfile: own('known_hosts') },
    ciphers: 'aes128-gcm@openssh.com,aes256-gcm@openssh.com',
  });
  expect(await settings('gatehouse-localhost')).toMatchObject({ hostname: 'localhost', port: '3022' });
  const elsewhere = await settings('github.com');
  expect(elsewhere).toMatchObject({ hostname: 'github.com', user: 'me' });
  expect([elsewhere.proxyjump, elsewhere.certificatefile]).toEqual([undefined, undefined]);

  // The next sign-in is in it without another word, and after the last sign-out nothing leads anywhere.
  expect((await login()).stdout).toContain('for ssh: ssh <login>@<server>.localhost\n');
  await line.run(['logout']);
  expect((await settings('web-1.localhost')).proxyjump).toBeUndefined();
  // What was chosen once is not asked for again.
  expect((await login()).stdout).toContain('for ssh: ssh <login>@<server>.localhost\n');
  expect((await settings('web-1.localhost')).proxyjump).toBe('gatehouse-localhost');
});

test('clusters that join later are led to once the configuration is written again, and known by the same key', async () => {
  await login();
  await line.run(['config', 'ssh', '--write']);
  expect((await settings('web-1.east')).proxyjump).toBeUndefined();
  const east = await startCluster('east');
  onTestFinished(() => east.close());
  await joinCluster({ ...line.world, admin: ann, origin: address }, east, { role_map: [] });

  const { stdout } = await line.run(['config', 'ssh', '--write']);

  expect(stdout).toContain("hosts that end in '.localhost', '.east' are reached through localhost\n");
  expect(await settings('web-1.east')).toMatchObject({
    ...{
      proxyjump: 'gatehouse-localhost',
      certificatefile: own('id-cert.pub'),
      userknownhostsfile: own('known_hosts'),
    },
  });
  expect(readFileSync(own('known_hosts'), 'utf8')).toContain(',*.localhost,*.east ssh-ed25519 ');
});

test('a first configuration of ssh is made for its owner alone', async () => {
  await login();
  expect((await line.run(['config', 'ssh', '--write', '--format', 'json'])).code).toBe(0);
  expect(statSync(config()).mode & 0o777).toBe(0o600);
  expect(statSync(join(line.folder, '.ssh')).mode & 0o777).toBe(0o700);
});

test('another gateway that calls itself the same does not get what ssh sends to the first', async () => {
  await login();
  const before = readFileSync(own('gateway.json'), 'utf8');
  const second = await startIdentityGateway({ settings: { ssh: DOOR } });
  onTestFinished(() => second.close());
  const other = await open(second);

  const { stdout, stderr } = await login(other.address, other.ann);
  expect(stdout).toContain(`signed in to ${other.address}`);
  expect(stderr).toContain(`note: nothing was written for ssh: ssh reaches servers of 'localhost' through ${address}`);
  expect(await line.run(['config', 'ssh', '--write'])).toMatchObject({ code: 7 });
  expect(readFileSync(own('gateway.json'), 'utf8')).toBe(before);

  await line.run(['logout', address]);
  expect(await line.run(['config', 'ssh', '--write'])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(own('gateway.json'), 'utf8'))).toMatchObject({ origin: other.address });
});

test('a certificate that is about to end is renewed by the next command, for the same key', async () => {
  await login();
  const facts = JSON.parse(readFileSync(own('gateway.json'), 'utf8')) as { expires: string };
  const key = readFileSync(own('id'), 'utf8');
  const certificate = readFileSync(own('id-cert.pub'), 'utf8');
  await line.run(['status']);
  expect(readFileSync(own('id-cert.pub'), 'utf8')).toBe(certificate);

  const soon = new Date(Date.now() + RENEW_BEFORE_MS - 1_000).toISOString();
  writeFileSync(own('gateway.json'), JSON.stringify({ ...facts, expires: soon }));
  expect((await line.run(['status'])).code).toBe(0);
  expect(readFileSync(own('id-cert.pub'), 'utf8')).not.toBe(certificate);
  expect(readFileSync(own('id'), 'utf8')).toBe(key);
  expect(JSON.parse(readFileSync(own('gateway.json'), 'utf8')).expires).toBe(facts.expires);
  expect(await call(ann.send, sshCertificateRoutes.list, {})).toHaveLength(2);
});
