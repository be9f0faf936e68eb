/** The install script of an application run for real: a folder that stands for its machine, the agent out of its archive, and a visit through it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, openApp } from '../../../../testing/apps/app-world.ts';
import { becomeUser } from '../../../../testing/become-user.ts';

const run = promisify(execFile);
let gateway: GatewayProcess;
let folder: string;
let upstream: Server;
let uri: string;

beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-machine-'));
  upstream = createServer((request, response) => void response.end(`books ${request.url}`));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  uri = `http://localhost:${(upstream.address() as AddressInfo).port}`;
});
afterAll(async () => {
  upstream?.close();
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function sh(script: string, root: string, ...args: string[]): Promise<{ code: number; out: string }> {
  mkdirSync(root, { recursive: true });
  const file = join(folder, 'script.sh');
  writeFileSync(file, script);
  try {
    const options = { env: cleanEnvironment(), cwd: folder };
    const { stdout, stderr } = await run('/bin/sh', [file, '--root', root, ...args], options);
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

/** The script under the address that the command names, and that address. */
async function scriptFor(name: string, appUri: string): Promise<{ script: string; address: URL }> {
  const added = await gateway.command('tokens', 'add', '--app', `${name}=${appUri}`, '--format', 'json');
  const { command } = JSON.parse(added.stdout) as { command: string };
  const address = new URL(/'(http[^']*)'/.exec(command)?.[1] ?? '');
  return { script: await (await fetch(address)).text(), address };
}

const listed = async () => (await gateway.command('apps', 'ls')).stdout;

test('an application joins by the script of its command, opens through its agent, and is taken away again', async () => {
  const root = join(folder, 'machine');
  const { script } = await scriptFor('books', uri);

  const first = await sh(script, root, '--name', 'other');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('the application books shows in the list') });
  expect(existsSync(join(root, 'etc/gatehouse-agent/join.env'))).toBe(false);
  await vi.waitFor(async () => expect(await listed()).toContain('books'), { timeout: 10_000, interval: 200 });
  expect(await listed()).toContain(uri);
  expect((await gateway.command('nodes', 'ls', '--format', 'json')).stdout.trim()).toBe('[]');
  const ann = await becomeUser(gateway, { name: 'ann', roles: 'access' });
  const host = 'books.localhost';
  const port = Number(new URL(gateway.origin).port);
  const cookie = await openApp({ port }, ann, host);
  expect(await ask(port, { host, path: '/shelf?a=1', headers: { cookie } })).toMatchObject({
    status: 200,
    body: 'books /shelf?a=1',
  });

  // The agent is called like the second application: that must not pass for one that is offered already.
  const other = await scriptFor('other', uri);
  expect(await sh(other.script, root)).toMatchObject({ code: 1, out: expect.stringContaining("under 'apps'") });
  const again = await sh(script, root, '--name', 'other');
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('keeping') });

  expect((await sh(script, root, '--uninstall')).code).toBe(0);
  await vi.waitFor(async () => expect(await listed()).not.toContain('books'), { timeout: 10_000, interval: 200 });
});

const HOSTILE = [
  "x'; touch pwned; '",
  '$(touch pwned)',
  '`touch pwned`',
  'x"\ntouch pwned\n"',
  'x\ntouch pwned',
  'x"\\\nlabels: {env: prod}',
  'X',
  'a'.repeat(64),
  '-n',
  '',
  'é',
];

test('hostile names and addresses get a script that says what is wrong, and not a byte of them', async () => {
  const { address } = await scriptFor('good', uri);
  const root = join(folder, 'hostile');
  const hostile = HOSTILE.flatMap((text) => [
    { name: text, uri },
    { name: 'good', uri: text },
    { name: 'good', uri: `http://localhost:3000/${text}${text === '' ? '"' : ''}` },
  ]).filter(({ uri: path }) => !/^http:\/\/localhost:3000\/(X|-n|a+)$/.test(path));
  const refusals = new Set<string>();
  for (const query of hostile) {
    address.search = String(new URLSearchParams(query));
    refusals.add(await (await fetch(address)).text());
  }
  address.search = '';
  refusals.add(await (await fetch(address)).text());
  // Given twice, a query is a list and no text.
  address.search = `?name=good&name=other&uri=${uri}`;
  refusals.add(await (await fetch(address)).text());

  expect(refusals.size).toBe(1);
  expect(await sh([...refusals][0]!, root)).toMatchObject({ code: 1, out: expect.stringContaining('must end with') });
  expect(readdirSync(folder)).not.toContain('pwned');
  expect(readdirSync(root)).toEqual([]);
});

test('what an address may hold stands in the configuration as it was given', async () => {
  const root = join(folder, 'odd');
  const odd = 'http://[::1]:3000/a%20b/~c+d';
  const { script } = await scriptFor('odd', odd);

  expect(await sh(script, root, '--no-start')).toMatchObject({ code: 0 });
  expect(readFileSync(join(root, 'etc/gatehouse-agent/agent.yaml'), 'utf8')).toContain(`uri: "${odd}"\n`);
});
