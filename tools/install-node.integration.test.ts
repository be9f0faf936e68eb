/** The install script run for real: a gateway, a root folder that stands for another machine, and the agent out of its archive. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);

let gateway: GatewayProcess;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-machine-'));
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function newToken(...flags: string[]): Promise<string> {
  const { stdout } = await gateway.command('tokens', 'add', '--type=node', '--format', 'json', ...flags);
  return (JSON.parse(stdout) as { token: string }).token;
}

async function scriptFor(token: string): Promise<string> {
  const file = join(folder, `${token}.sh`);
  writeFileSync(file, await (await fetch(`${gateway.origin}/scripts/${token}/install-node.sh`)).text());
  return file;
}

async function sh(file: string, ...args: string[]): Promise<{ code: number; out: string }> {
  try {
    const { stdout, stderr } = await run('/bin/sh', [file, ...args], { env: cleanEnvironment() });
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

async function names(): Promise<string[]> {
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  return (JSON.parse(stdout) as { hostname: string }[]).map(({ hostname }) => hostname);
}

async function until(check: () => Promise<boolean>, seconds = 20): Promise<boolean> {
  for (let tries = 0; tries < seconds * 5; tries += 1) {
    if (await check()) return true;
    await sleep(200);
  }
  return false;
}

test('a machine joins by the script, twice without harm, and is taken away again', async () => {
  const root = join(folder, 'machine');
  mkdirSync(root);
  const script = await scriptFor(await newToken('--labels', 'env=test'));

  const first = await sh(script, '--root', root, '--name', 'box-1', '--labels', 'rack=a 1');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('box-1 has joined') });
  expect(await until(async () => (await names()).includes('box-1'))).toBe(true);
  const tested = await gateway.command('nodes', 'test', 'box-1', '--login', 'root');
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ login') });
  expect((await gateway.command('nodes', 'show', 'box-1')).stdout).toMatch(/env=test.*rack=a 1|rack=a 1.*env=test/s);
  expect(statSync(join(root, 'etc/gatehouse-agent/agent.yaml')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(root, 'etc/gatehouse-agent/join.env'))).toBe(false);

  const second = await sh(script, '--root', root, '--name', 'box-1');
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('this version is here already') });
  expect(second.out).toContain('keeping');
  expect(await until(async () => (await names()).filter((name) => name === 'box-1').length === 1)).toBe(true);

  const astray = await sh(script, '--uninstall', '--root', join(folder, 'nothing-here'));
  expect(astray.out).toContain(`nothing of ours is installed below ${join(folder, 'nothing-here')}`);
  expect(astray.out).toMatch(/an agent runs from below \S+: give --root \S+ to take that one away/);
  const gone = await sh(join(root, 'opt/gatehouse-agent/uninstall.sh'));
  expect(gone).toMatchObject({ code: 0, out: expect.stringContaining('the agent is gone') });
  expect(await until(async () => !(await names()).includes('box-1'))).toBe(true);
  expect(readdirSync(join(root, 'opt'))).toEqual([]);
  expect(existsSync(join(root, 'var/lib/gatehouse-agent'))).toBe(false);
  expect((await sh(script, '--uninstall', '--root', root)).out).toContain('nothing of ours');
});

test('what was changed on its way is not installed', async () => {
  const root = join(folder, 'tampered');
  mkdirSync(root);
  const script = await scriptFor(await newToken());
  const text = readFileSync(script, 'utf8').replaceAll(/^(SHA256_\w+)='[0-9a-f]+'/gm, `$1='${'0'.repeat(64)}'`);
  writeFileSync(script, text);

  const { code, out } = await sh(script, '--root', root);

  expect(code).toBe(1);
  expect(out).toContain('not what the gateway announced');
  expect(existsSync(join(root, 'opt/gatehouse-agent'))).toBe(false);
});

test('a token that was taken back gets a script that says so', async () => {
  const token = await newToken();
  const { stdout } = await gateway.command('tokens', 'ls', '--format', 'json');
  const { id } = (JSON.parse(stdout) as { id: string; hint: string }[]).find(({ hint }) => token.startsWith(hint))!;
  await gateway.command('tokens', 'rm', id);

  expect(await sh(await scriptFor(token))).toMatchObject({ code: 1, out: expect.stringContaining('not valid') });
});

test.each([
  [['--name', "a';touch pwned;'"], 'cannot be its name'],
  [['--labels', 'a="b"'], 'must not hold quotes'],
  [['--labels', 'novalue'], 'write name=value'],
  [['--what'], "what is '--what'?"],
])('%j is refused in words', async (args, words) => {
  const root = join(folder, 'refused');
  mkdirSync(root, { recursive: true });

  const { code, out } = await sh(await scriptFor(await newToken()), '--root', root, ...args);

  expect(code).toBe(1);
  expect(out).toContain(words);
  expect(readdirSync(root)).toEqual([]);
});

test('a machine that keeps its own sshd trusts the gateway by the script, and no longer after it', async () => {
  const sshd = await startSshd();
  const root = join(folder, 'openssh');
  const ssh = join(root, 'etc/ssh');
  mkdirSync(join(ssh, 'sshd_config.d'), { recursive: true });
  copyFileSync(join(sshd.folder, 'host_ed25519'), join(ssh, 'ssh_host_ed25519_key'));
  chmodSync(join(ssh, 'ssh_host_ed25519_key'), 0o600);
  writeFileSync(join(ssh, 'ssh_host_ed25519_key.pub'), `${sshd.hostKey()}\n`);
  const config = `Include ${ssh}/sshd_config.d/*.conf\nHostKey ${sshd.folder}/host_ed25519\n`;
  writeFileSync(join(ssh, 'sshd_config'), config);
  const script = await scriptFor(await newToken('--labels', 'kind=plain'));

  const first = await sh(script, '--openssh', '--root', root, '--name', 'plain-1', '--addr', sshd.addr);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('plain-1 is enrolled') });
  // The root folder stands for the machine; the server that runs for it is told by hand.
  sshd.trust([readFileSync(join(ssh, 'gatehouse_user_ca.pub'), 'utf8').trim()]);
  // A token gives nobody the gateway's own machine, where this server is; an administrator may say that it is meant.
  expect(await gateway.command('nodes', 'test', 'plain-1', '--login', 'root')).toMatchObject({ code: 1 });
  await gateway.command('nodes', 'rm', 'plain-1');
  await gateway.command('nodes', 'add', 'plain-1', sshd.addr);
  expect(await gateway.command('nodes', 'test', 'plain-1', '--login', 'root')).toMatchObject({ code: 0 });
  expect((await sh(script, '--openssh', '--root', root, '--name', 'plain-1', '--addr', sshd.addr)).code).toBe(0);

  // Whoever has only the public half proves nothing.
  rmSync(join(ssh, 'ssh_host_ed25519_key'));
  const unproven = await sh(script, '--openssh', '--root', root, '--name', 'plain-2', '--addr', 'elsewhere.example:22');
  expect(unproven).toMatchObject({ code: 1, out: expect.stringContaining('no host key') });

  expect(await sh(script, '--uninstall', '--root', root)).toMatchObject({ code: 0 });
  await sshd.stop();
  expect(readdirSync(join(ssh, 'sshd_config.d'))).toEqual([]);
  expect(readFileSync(join(ssh, 'sshd_config'), 'utf8')).toBe(config);
});
