import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localDoor } from '@gatehouse/gateway/http/local-door';
import { serveLocalSocket } from '@gatehouse/gateway/local-socket/serve-local-socket';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../program.ts';

let folder: string;
let gateway: IdentityGateway;
let socket: { close(): Promise<void> };
let upstream: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  gateway = await startIdentityGateway();
  socket = await serveLocalSocket({ dataDir: folder, handler: localDoor(gateway.app) });
  upstream = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  upstream.close();
  upstream.closeAllConnections();
  await socket.close();
  await gateway.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]) {
  const result = { code: 0, stdout: '', stderr: '' };
  result.code = await runProgram(args, {
    stdout: (text) => {
      result.stdout += text;
    },
    stderr: (text) => {
      result.stderr += text;
    },
    env: { HOME: folder },
    cwd: folder,
  });
  return result;
}
const here = () => ['--data-dir', folder];
const json = async (...args: string[]) => JSON.parse((await run(...args, ...here(), '--format', 'json')).stdout);

test('an application is added, listed, shown and removed', async () => {
  const added = await run(
    ...['apps', 'add', 'grafana', 'http://10.0.0.5:3000', '--label', 'env=prod', '--labels', 'team=blue'],
    ...['--header', 'X-User: {{internal.username}}', '--description', 'Charts', ...here()],
  );

  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^application 'grafana' added\nIt opens at http.*grafana\.localhost.*\n$/);
  expect((await run('apps', 'ls', ...here())).stdout).toMatch(
    /^NAME +ADDRESS +OPENS AT +LABELS +NOTES\ngrafana +http:\/\/10\.0\.0\.5:3000 +http\S+ +env=prod,team=blue +-\n$/,
  );
  expect(await json('apps', 'ls', '--query', 'labels.env == "dev"')).toEqual([]);
  const shown = await run('apps', 'show', 'grafana', ...here());
  expect(shown.stdout).toMatch(/^header +X-User: \{\{internal\.username\}\}$/m);
  expect(shown.stdout).toMatch(/^reached by +the gateway$/m);
  expect((await run('apps', 'rm', 'grafana', ...here())).stdout).toBe("application 'grafana' removed\n");
  expect((await run('apps', 'show', 'grafana', ...here())).code).toBe(4);
});

test('what is not checked, and what speaks TCP, is said where it is listed', async () => {
  await run('apps', 'add', 'wiki', 'https://10.0.0.6', '--insecure', ...here());
  const tcp = await run('apps', 'add', 'postgres', 'tcp://10.0.0.7:5432', ...here());

  expect(tcp.stdout).toContain('Reach it with: gatehouse proxy app postgres');
  const listed = (await run('apps', 'ls', ...here())).stdout;
  expect(listed).toMatch(/^wiki .* insecure TLS$/m);
  expect(listed).toMatch(/^postgres +tcp:\/\/10\.0\.0\.7:5432 +gatehouse proxy/m);
  for (const name of ['wiki', 'postgres']) await run('apps', 'rm', name, ...here());
});

test('a name that is taken, and an address that is none, are refused with their exit codes', async () => {
  await run('apps', 'add', 'grafana', 'http://10.0.0.5:3000', ...here());

  expect((await run('apps', 'add', 'grafana', 'http://10.0.0.9', ...here())).code).toBe(7);
  expect((await run('apps', 'add', 'x', 'ftp://10.0.0.9', ...here())).code).toBe(2);
  expect((await run('apps', 'add', 'x', 'http://10.0.0.9', '--header', 'nothing', ...here())).code).toBe(2);
  await run('apps', 'rm', 'grafana', ...here());
});

test('a check tells each hop, and fails with the first that did', async () => {
  const { port } = upstream.address() as AddressInfo;
  const fine = await run('apps', 'check', `http://127.0.0.1:${port}`, ...here());
  const bad = await run('apps', 'check', 'http://127.0.0.1:1', ...here());

  expect(fine.code).toBe(0);
  expect(fine.stdout).toMatch(/^✓ connect .*\n[\s\S]*^✓ http /m);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^✗ connect {3}.*\n {12}→ /m);
});

test('a proxy needs a sign-in of its own and an application that is there', async () => {
  const without = await run('proxy', 'app', 'postgres');
  expect(without).toMatchObject({ code: 5, stderr: 'gatehouse: not signed in: run gatehouse login <address>\n' });
  expect((await run('proxy', 'app', 'postgres', '--listen', 'nowhere')).code).toBe(2);

  writeFileSync(join(folder, 'unused'), '');
  const gone = await run('proxy', 'app', 'postgres', '--gateway', 'http://127.0.0.1:1');
  expect(gone.code).toBe(5);
});

test('a token for an application gives the command that installs its agent', async () => {
  const made = await run('tokens', 'add', '--app', 'books=http://localhost:3000', ...here());

  expect(made.stdout).toContain('/install-app.sh?name=books&uri=http%3A%2F%2Flocalhost%3A3000');
  expect(made.stdout).not.toContain('sshd');
  expect((await json('tokens', 'ls'))[0].roles).toEqual(['App']);
});
