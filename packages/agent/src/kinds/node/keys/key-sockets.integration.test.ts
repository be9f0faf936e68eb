/** Sockets for keys, made for a real account and used by real programs. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { KEYS_MESSAGE_BYTES, keysSaid } from '@gatehouse/contract/reach/agents/targets';
import { readMessage } from '@gatehouse/tunnel/messages';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import { offeredStream } from '../../../../testing/stream-pair.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { silentLog } from '../../../runtime/log.ts';
import { checkLogin } from '../login/check-login.ts';
import { ownUser } from '../login/find-user.ts';
import { createKeySockets, type KeySockets } from './key-sockets.ts';

const run = promisify(execFile);
const RULES = { shell: true, logins: undefined, where: 'agent.yaml' };
const users = osUsers();
let person: Person;
let keys: KeySockets;
beforeAll(async () => {
  person = await checkLogin(IS_ROOT ? await users.add() : ownUser().name, RULES);
});
beforeEach(() => {
  keys = createKeySockets({ rules: RULES, mayForward: true, log: silentLog });
});
afterEach(() => keys.close());
afterAll(() => users.removeAll());

const said = async (stream: Duplex) => (await readMessage(stream, keysSaid, { maxBytes: KEYS_MESSAGE_BYTES })).value;
async function offer(session = 's'): Promise<{ near: Duplex; path: string }> {
  const { offered, near } = offeredStream();
  await keys.serve(offered, { session, user: 'ann', login: person.name });
  expect(await said(near)).toEqual({ type: 'ready' });
  return { near, path: keys.socketOf(session, person.name) ?? '' };
}
async function take(connection: string, over: Record<string, string> = {}): Promise<Duplex> {
  const { offered, near } = offeredStream();
  const accepted = Promise.withResolvers<void>();
  const accept = () => {
    accepted.resolve();
    return offered.accept();
  };
  const metadata = { session: 's', user: 'ann', login: person.name, take: connection, ...over };
  await Promise.race([accepted.promise, keys.serve({ ...offered, accept }, metadata)]);
  return near;
}

test('what connects to it is led to who offered the keys, both ways, and only in its own session', async () => {
  const { near, path } = await offer();
  const asked = text(connect(path).end('which keys?'));
  const came = await said(near);
  const { connection } = came as { connection: string };

  await expect(take(connection, { session: 'other' })).rejects.toThrow('nobody waits there');
  await expect(take(connection, { login: 'root' })).rejects.toThrow(/nobody waits there|root/);
  const taken = await take(connection);
  expect(await text(taken)).toBe('which keys?');
  taken.end('these');
  expect(await asked).toBe('these');
  await expect(take(connection)).rejects.toThrow('nobody waits there');
  expect(keys.socketOf('other', person.name)).toBeUndefined();
  expect(keys.socketOf('s', 'somebody')).toBeUndefined();
});

test('it is gone with the stream, with whatever is connected', async () => {
  const { near, path } = await offer();
  const socket = connect(path);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await said(near);
  near.destroy();

  await closed;
  await vi.waitFor(() => expect(existsSync(dirname(path))).toBe(false));
  expect(keys.size).toBe(0);
  await offer();
});

test('one session has one, with so many connections, and a file may forbid all of it', async () => {
  const { near, path } = await offer();
  await expect(offer()).rejects.toThrow('has a socket for keys already');
  const sockets = Array.from({ length: 40 }, () => connect(path).on('error', () => {}));
  const refused = await vi.waitFor(() => {
    const closed = sockets.filter(({ readableEnded, destroyed }) => readableEnded || destroyed);
    for (const socket of sockets) socket.resume();
    expect(closed).toHaveLength(8);
    return closed;
  });
  for (let turn = 0; turn < 32; turn++) expect(await said(near)).toMatchObject({ type: 'came' });
  for (const socket of sockets) socket.destroy();

  expect(refused).toHaveLength(8);
  const closed = createKeySockets({ rules: RULES, mayForward: false, log: silentLog });
  const { offered } = offeredStream();
  await expect(closed.serve(offered, { session: 's', user: 'ann', login: person.name })).rejects.toThrow(
    "'forward: false' in agent.yaml",
  );
});

test.runIf(IS_ROOT)(
  "it is the login that may connect, and nobody else, and its folder is not the login's to replace",
  async () => {
    const { near, path } = await offer();
    const other = await users.add();
    const reach = (who: string) =>
      run('runuser', [
        '-u',
        who,
        '--',
        'python3',
        '-c',
        `import socket; socket.socket(socket.AF_UNIX).connect('${path}')`,
      ]);

    await reach(person.name);
    expect(await said(near)).toMatchObject({ type: 'came' });
    await expect(reach(other)).rejects.toThrow('PermissionError');
    expect(statSync(dirname(path))).toMatchObject({ uid: 0, mode: 0o40711 });
    expect(statSync(path)).toMatchObject({ uid: person.uid, gid: person.gid, mode: 0o140600 });
  },
);
