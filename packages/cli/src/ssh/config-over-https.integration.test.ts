/** `gatehouse config ssh --over-https`: the ssh of this machine, led over the port of browsers, believes the gateway by its certificate. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVER, startProcessWorld } from '@gatehouse/gateway/testing/sessions/process-world';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { expect, onTestFinished, test } from 'vitest';
import { annToken } from '../../testing/process-token.ts';

const run = promisify(execFile);

test('ssh asks nothing of anybody, and comes by the port of browsers; without it, by the door again', async () => {
  const world = await startProcessWorld({ GATEHOUSE_SSH_LISTEN: `127.0.0.1:${await freePort()}` });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ssh-'));
  onTestFinished(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clean = cleanEnvironment();
  const env = {
    ...{ ...clean, PATH: `${ROOT}:${clean.PATH}`, HOME: folder },
    ...{ GATEHOUSE_ADDRESS: world.gateway.origin, GATEHOUSE_TOKEN: await annToken(world) },
  };
  const write = (...args: string[]) => run('gatehouse', ['config', 'ssh', '--write', ...args], { env });
  const config = join(folder, '.ssh', 'config');
  const settings = async () => (await run('ssh', ['-F', config, '-G', `${SERVER}.localhost`], { env })).stdout;

  await write('--over-https');
  expect(await settings()).toContain(`\nproxycommand gatehouse proxy ssh --gateway ${world.gateway.origin} %h\n`);
  const strict = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', '-o', 'GlobalKnownHostsFile=/dev/null'];
  const { stdout } = await run('ssh', ['-F', config, ...strict, `${world.login}@${SERVER}.localhost`, 'id -un'], {
    env,
  });
  expect(stdout).toBe(`${world.login}\n`);

  await write();
  expect(await settings()).not.toContain('proxycommand');
});
