/** A second factor at the SSH door by a link: a device that is shown to the browser counts there, and nothing else does. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { acceptByDevice, askedByLink, type Person, somebodyWithApp } from '../../../testing/sessions/factor-links.ts';
import { doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';

let world: ServerWorld;
let port: number;
let login: string;
beforeAll(async () => {
  world = await startServerWorld({ secondFactor: 'optional' });
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  await world.makeRole('with-factor', '{options: {require_session_mfa: true}}');
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());

const somebody = (name: string) => somebodyWithApp(world.gateway, name, ['dev', 'with-factor']);
const accept = (person: Person, requestId: string) => acceptByDevice(world.gateway, person, requestId);

test('an app or a key that is shown to the browser is the second factor, and only of whoever connects', async () => {
  const ann = await somebody('bea');
  const other = await somebody('kai');
  const client = await doorClient(port, ann.browser);
  const once = ['-o', 'BatchMode=no', '-o', 'NumberOfPasswordPrompts=1', `${login}@web-1@gate`, 'echo in'];
  const ssh = (answer: (requestId: string) => Promise<void>) => askedByLink(['-F', client.config, ...once], answer);

  const shown = async (requestId: string) => {
    const details = await call(ann.browser.send, cliLoginRoutes.details, { params: { requestId } });
    expect(details).toMatchObject({ client: `ssh ${login}@web-1, a second factor`, ssh: { server: 'web-1', login } });
  };
  expect(await ssh(shown)).toMatchObject({ code: 255, stdout: '' });
  expect(await ssh((id) => accept(other, id))).toMatchObject({ code: 255, stdout: '' });
  expect(await ssh((id) => accept(ann, id))).toEqual({ code: 0, stdout: 'in\n', stderr: '' });
});

test('a yes without a device is none: whoever has no device has no second factor', async () => {
  await world.gateway.addUser('eve', { roles: ['dev', 'with-factor'] });
  const browser = await world.gateway.signedIn('eve');
  const client = await doorClient(port, browser);
  const once = ['-o', 'BatchMode=no', '-o', 'NumberOfPasswordPrompts=1', `${login}@web-1@gate`, 'echo in'];
  const ran = await askedByLink(['-F', client.config, '-o', 'LogLevel=INFO', ...once], async (requestId) => {
    await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } });
  });

  expect(ran).toMatchObject({ code: 255, stdout: '' });
  expect(ran.stderr).toContain('accepted without a device');
});

test('the yes of a browser to a whole connection counts as one, where a device was shown for it', async () => {
  const kim = await somebody('kim');
  const key = join(mkdtempSync(join(tmpdir(), 'gatehouse-link-')), 'id');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
  const plain = ['-F', '/dev/null', '-i', key, '-p', String(port), ...options.flatMap((option) => ['-o', option])];
  const ran = await askedByLink([...plain, `${login}@web-1@127.0.0.1`, 'echo in'], (id) => accept(kim, id));

  expect(ran).toEqual({ code: 0, stdout: 'in\n', stderr: '' });
});
