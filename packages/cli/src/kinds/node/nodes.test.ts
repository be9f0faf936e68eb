import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519Blob, fingerprint, publicKeyLine } from '@gatehouse/gateway/platform/crypto/ssh/public-key';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
});
afterEach(() => line.close());

const run = (...args: string[]) => line.local(...args);
const json = (...args: string[]) => line.json(...args);

const blob = ed25519Blob(generateKeyPairSync('ed25519').publicKey);
function keyFile(): string {
  writeFileSync(join(line.folder, 'host.pub'), `# its only key\n${publicKeyLine(blob)} root@web-1\n`);
  return 'host.pub';
}

test('a server is added with its keys from a file, listed, shown and removed', async () => {
  const added = await run(
    'nodes',
    'add',
    'web-1',
    '10.0.0.5',
    '--labels',
    'env=prod,team=blue',
    '--host-key',
    keyFile(),
  );

  expect(added).toMatchObject({ code: 0, stderr: '' });
  const [authority] = await json('ca', 'export');
  expect(added.stdout).toBe(`server 'web-1' added at 10.0.0.5:22
pinned ${fingerprint(blob)}

Let the server trust the gateway. Into /etc/ssh/gatehouse_user_ca.pub:
  ${authority}
Into /etc/ssh/sshd_config, then reload sshd:
  TrustedUserCAKeys /etc/ssh/gatehouse_user_ca.pub

Then try it: gatehouse nodes test web-1 --login LOGIN
`);
  expect((await run('nodes', 'ls')).stdout).toBe(
    'NAME   ADDRESS      LABELS              LOGINS\nweb-1  10.0.0.5:22  env=prod,team=blue  *\n',
  );
  expect((await run('nodes', 'ls', 'nothing-like-it')).stdout).toBe('no servers\n');
  expect(await json('nodes', 'ls', '--query', 'labels.env == "prod"')).toHaveLength(1);
  expect(await json('nodes', 'ls', '--query', 'labels.env == "dev"')).toEqual([]);
  expect((await run('nodes', 'show', 'web-1')).stdout).toMatch(/^name +web-1\nid +\S+\naddress +10\.0\.0\.5:22$/m);
  expect((await run('nodes', 'rm', 'web-1')).stdout).toBe("server 'web-1' removed\n");
  expect((await run('nodes', 'show', 'web-1')).code).toBe(4);
});

test.each([
  ['10.0.0.5', '10.0.0.5:22'],
  ['web.example:2222', 'web.example:2222'],
  ['2001:db8::1', '[2001:db8::1]:22'],
  ['[2001:db8::1]:2222', '[2001:db8::1]:2222'],
])('the address %s means %s', async (given, meant) => {
  expect((await json('nodes', 'add', 'web-1', given, '--host-key', keyFile())).node.addr).toBe(meant);
});

test('a test that fails prints each step with what to do, and ends with 1', async () => {
  await run('nodes', 'add', 'web-1', '127.0.0.1:1', '--host-key', keyFile());

  const tested = await run('nodes', 'test', 'web-1', '--login', 'root');

  expect(tested.code).toBe(1);
  expect(tested.stdout.replaceAll(/\(\d+ ms\)/g, '(0 ms)')).toBe(`✓ access  you see the server 'web-1' (0 ms)
✓ access  your roles let you sign in as 'root' (0 ms)
✓ reach   127.0.0.1:1 is reached directly (0 ms)
✗ tcp     127.0.0.1:1 refuses the connection: nothing listens there
          → start the server there, or correct the port
`);
  expect(tested.stderr).toBe('gatehouse: 127.0.0.1:1 refuses the connection: nothing listens there\n');
  const asJson = await run('nodes', 'test', 'web-1', '--login', 'root', '--format', 'json');
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ success: false });
  expect((await run('nodes', 'test', 'web-1')).code).toBe(2);
});

test('host keys are replaced from a file, and a file without keys is refused', async () => {
  await run('nodes', 'add', 'web-1', '127.0.0.1:1', '--host-key', keyFile());
  writeFileSync(join(line.folder, 'empty.pub'), '# nothing\n');

  expect((await run('nodes', 'trust-host-key', 'web-1', '--host-key', keyFile())).stdout).toBe(
    `pinned ${fingerprint(blob)}\n`,
  );
  expect(await run('nodes', 'trust-host-key', 'web-1', '--host-key', 'empty.pub')).toMatchObject({ code: 2 });
  expect((await run('nodes', 'trust-host-key', 'web-1')).code).toBe(8);
});

test('the authority is listed, printed for servers and rotated', async () => {
  const [before] = (await run('ca', 'export')).stdout.split('\n');

  const rotated = await run('ca', 'rotate', '--overlap', '30d');

  expect(rotated.stdout).toMatch(/^FINGERPRINT +STATE +CREATED +UNTIL\nSHA256:\S+ +signing .* -\nSHA256:\S+ +leaving /);
  const after = (await run('ca', 'export')).stdout.trim().split('\n');
  expect(after).toHaveLength(2);
  expect(after[1]).toBe(before);
  expect(after[0]).toMatch(/^ssh-ed25519 \S+ gatehouse-localhost-2026-01-01$/);
  await run('ca', 'rotate', '--overlap', '0');
  expect((await run('ca', 'ls')).stdout).not.toContain('leaving');
  expect((await run('ca', 'rotate', '--overlap', 'soon')).code).toBe(2);
  expect((await run('ca', 'rotate', '--announce', '1d')).code).toBe(2);
});
