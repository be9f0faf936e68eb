import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let upstream: Server;

beforeAll(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  upstream = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  upstream.close();
  upstream.closeAllConnections();
  await line.close();
});

const run = (...args: string[]) => line.run(args);
const local = (...args: string[]) => line.local(...args);
const json = (...args: string[]) => line.json(...args);

test('an application is added, listed, shown and removed', async () => {
  const added = await local(
    ...['apps', 'add', 'grafana', 'http://10.0.0.5:3000', '--label', 'env=prod', '--labels', 'team=blue'],
    ...['--header', 'X-User: {{internal.username}}', '--description', 'Charts'],
  );

  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^application 'grafana' added\nIt opens at http.*grafana\.localhost.*\n$/);
  expect((await local('apps', 'ls')).stdout).toMatch(
    /^NAME +ADDRESS +OPENS AT +LABELS +NOTES\ngrafana +http:\/\/10\.0\.0\.5:3000 +http\S+ +env=prod,team=blue +-\n$/,
  );
  expect(await json('apps', 'ls', '--query', 'labels.env == "dev"')).toEqual([]);
  const shown = await local('apps', 'show', 'grafana');
  expect(shown.stdout).toMatch(/^header +X-User: \{\{internal\.username\}\}$/m);
  expect(shown.stdout).toMatch(/^reached by +the gateway$/m);
  expect((await local('apps', 'rm', 'grafana')).stdout).toBe("application 'grafana' removed\n");
  expect((await local('apps', 'show', 'grafana')).code).toBe(4);
});

test('what is not checked, and what speaks TCP, is said where it is listed', async () => {
  await local('apps', 'add', 'wiki', 'https://10.0.0.6', '--insecure');
  const tcp = await local('apps', 'add', 'postgres', 'tcp://10.0.0.7:5432');

  expect(tcp.stdout).toContain('Reach it with: gatehouse proxy app postgres');
  const listed = (await local('apps', 'ls')).stdout;
  expect(listed).toMatch(/^wiki .* insecure TLS$/m);
  expect(listed).toMatch(/^postgres +tcp:\/\/10\.0\.0\.7:5432 +gatehouse proxy/m);
  for (const name of ['wiki', 'postgres']) await local('apps', 'rm', name);
});

test('a name that is taken, and an address that is none, are refused with their exit codes', async () => {
  await local('apps', 'add', 'grafana', 'http://10.0.0.5:3000');

  expect((await local('apps', 'add', 'grafana', 'http://10.0.0.9')).code).toBe(7);
  expect((await local('apps', 'add', 'x', 'ftp://10.0.0.9')).code).toBe(2);
  expect((await local('apps', 'add', 'x', 'http://10.0.0.9', '--header', 'nothing')).code).toBe(2);
  await local('apps', 'rm', 'grafana');
});

test('a check tells each hop, and fails with the first that did', async () => {
  const { port } = upstream.address() as AddressInfo;
  const fine = await local('apps', 'check', `http://127.0.0.1:${port}`);
  const bad = await local('apps', 'check', 'http://127.0.0.1:1');

  expect(fine.code).toBe(0);
  expect(fine.stdout).toMatch(/^✓ connect .*\n[\s\S]*^✓ http /m);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^✗ connect {3}.*\n {12}→ /m);
});

test('a proxy needs a sign-in of its own and an application that is there', async () => {
  const without = await run('proxy', 'app', 'postgres');
  expect(without).toMatchObject({ code: 5, stderr: 'gatehouse: not signed in: run gatehouse login <address>\n' });
  expect((await run('proxy', 'app', 'postgres', '--listen', 'nowhere')).code).toBe(2);

  const gone = await run('proxy', 'app', 'postgres', '--gateway', 'http://127.0.0.1:1');
  expect(gone.code).toBe(5);
});

test('a token for an application gives the command that installs its agent', async () => {
  const made = await local('tokens', 'add', '--app', 'books=http://localhost:3000');

  expect(made.stdout).toContain('/install-app.sh?name=books&uri=http%3A%2F%2Flocalhost%3A3000');
  expect(made.stdout).not.toContain('sshd');
  expect((await json('tokens', 'ls'))[0].roles).toEqual(['App']);
});
