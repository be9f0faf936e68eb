/** The install script of desktops without a name, run for real: the file of its agent says where they are found, and has to be there first. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSlapd, type TestSlapd } from '@gatehouse/testkit/desktop/slapd';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const run = promisify(execFile);

let gateway: GatewayProcess;
let slapd: TestSlapd;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-domain-'));
  [gateway, slapd] = await Promise.all([
    startGateway(),
    startSlapd([['CN=desk-1,OU=Servers', { dNSHostName: 'desk-1.corp.test' }]]),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), slapd?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('it asks for the file, completes it, and what the directory knows is offered', async () => {
  const root = join(folder, 'machine');
  const etc = join(root, 'etc/gatehouse-agent');
  const file = join(etc, 'agent.yaml');
  const made = await gateway.command('tokens', 'add', '--type=desktop', '--desktops', '*', '--format', 'json');
  const { command } = JSON.parse(made.stdout) as { command: string };
  expect(command).toMatch(/\/install-desktop\.sh'\)"$/);
  writeFileSync(join(folder, 'script.sh'), await (await fetch(/'(http[^']*)'/.exec(command)?.[1] ?? '')).text());
  const sh = async (...args: string[]) => {
    const words = [join(folder, 'script.sh'), '--root', root, '--name', 'dir-1', ...args];
    const done = run('/bin/sh', words, { env: cleanEnvironment(), cwd: folder });
    return await done.then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, out: String(stdout) + String(stderr) }),
    );
  };

  expect(await sh()).toMatchObject({ code: 1, out: expect.stringContaining(`put it to ${file} first`) });
  expect(existsSync(join(root, 'opt'))).toBe(false);
  mkdirSync(etc, { recursive: true });
  const { tlsUrl: url, bindDn, baseDn, ca, password } = slapd;
  writeFileSync(join(etc, 'reader.txt'), password, { mode: 0o600 });
  writeFileSync(join(etc, 'directory.pem'), ca);
  const ldap = { url, bindDn, baseDn, passwordFile: join(etc, 'reader.txt'), ca: join(etc, 'directory.pem') };
  // As the script on a domain controller prints it.
  const printed = `gateway: "${gateway.origin}"\nshell: false\n`;
  writeFileSync(file, printed, { mode: 0o600 });
  expect(await sh()).toMatchObject({ code: 1, out: expect.stringContaining("it has no 'desktops'") });
  writeFileSync(file, `${printed}desktops:\n  ldap: ${JSON.stringify(ldap)}\n`);

  expect(await sh()).toMatchObject({
    code: 0,
    out: expect.stringContaining('the desktops of its file show in the list'),
  });
  expect(readFileSync(file, 'utf8')).toContain(`name: "dir-1"\ndataDir: "${join(root, 'var/lib/gatehouse-agent')}"`);
  const listed = async () => (await gateway.command('desktops', 'ls', '--format', 'json')).stdout;
  await vi.waitFor(async () => expect(await listed()).toContain('desk-1.corp.test'), {
    timeout: 20_000,
    interval: 200,
  });
  expect(await sh('--uninstall')).toMatchObject({ code: 0 });
});
