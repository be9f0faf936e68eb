/** What `gatehouse config ssh --write` leaves behind, used by the ssh of this machine through the door to a real sshd. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type ServerWorld, startServerWorld } from '@gatehouse/gateway/testing/connection-tests/server-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const execute = promisify(execFile);
let world: ServerWorld;
let home: string;
beforeAll(async () => {
  world = await startServerWorld({ settings: { ssh: { listen: { host: '127.0.0.1', port: 0 } } } });
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  await world.gateway.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  home = mkdtempSync(join(tmpdir(), 'gh-ssh-'));
});
afterAll(async () => {
  await world?.close();
  rmSync(home, { recursive: true, force: true });
});

test('a script with a token is led to servers by their names, is asked nothing, and shares one connection', async () => {
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'ci', scope: 'all' } });
  const { port } = world.gateway.app.server.address() as AddressInfo;
  const env = {
    ...{ ...cleanEnvironment(), HOME: home },
    ...{ GATEHOUSE_ADDRESS: `http://localhost:${port}`, GATEHOUSE_TOKEN: token },
  };
  await execute(`${ROOT}/gatehouse`, ['config', 'ssh', '--write'], { env });
  const [login] = world.logins;
  const leading = ['-F', join(home, '.ssh', 'config'), '-o', 'BatchMode=yes'];
  const ssh = (...args: string[]) => execute('ssh', [...leading, ...args], { env });

  const ran = await ssh(`${login}@web-1.localhost`, 'id -un');
  expect(ran).toEqual({ stdout: `${login}\n`, stderr: '' });
  // What the first has left open is there for the next.
  const { stderr } = await ssh('-O', 'check', 'gatehouse-localhost');
  expect(stderr).toContain('Master running');
  expect((await ssh(`${login}@web-1.localhost`, 'echo again')).stdout).toBe('again\n');
  await ssh('-O', 'exit', 'gatehouse-localhost');
});
