/** Terminals on a real sshd: from a click to a prompt, through lost networks, to every way they end. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params, type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import {
  connectTerminal,
  opening,
  type Tab,
  type TerminalClient,
  tabOf,
} from '../../../testing/sessions/terminal-client.ts';

let world: ServerWorld;
let tab: Tab;
let login: string;
beforeEach(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  tab = tabOf(world.gateway.app, world.ann);
  login = world.logins[0];
});
afterEach(() => world.close());

function connect(...args: Parameters<typeof connectTerminal>): TerminalClient {
  const client = connectTerminal(...args);
  onTestFinished(() => client.cut());
  return client;
}
const codes = async () => (await world.gateway.events()).map(({ code }) => code);

test('a prompt is there, what is typed runs, and the end is told', async () => {
  const client = connect(tab, opening('web-1', login));

  const state = await client.state;
  client.type('echo $((6*7)) as $USER; stty size\n');
  await client.until(new RegExp(`42 as ${login}\n24 80\n`));
  client.send({ type: 'resize', cols: 100, rows: 30 });
  client.type('stty size; exit 3\n');
  const ended = await client.told('ended');

  expect(state).toMatchObject({
    login,
    user: 'ann',
    mode: 'peer',
    from: 0,
    taken: 0,
    recorded: false,
    survives: false,
  });
  expect(client.text()).toContain('30 100');
  expect(ended).toMatchObject({ cause: 'exited', exitCode: 3 });
  expect(await client.closed).toBe(1000);
  await vi.waitFor(async () => expect(await codes()).toEqual(expect.arrayContaining(['T2000I', 'T2004I'])));
  const issued = (await world.gateway.events()).filter(({ code }) => code === 'TC000I');
  expect(issued).toMatchObject([
    {
      user: 'ann',
      data: { cert_type: 'user', login, sid: state.sid, server_hostname: 'web-1', identity: { user: 'ann' } },
    },
  ]);
});

test('a lost network loses no byte and repeats none', async () => {
  const request = opening('web-1', login);
  const first = connect(tab, request);
  const { sid } = await first.state;
  first.type('PS1=; for i in $(seq 1 20000); do echo line $i; done; echo all done\n');
  let client = first;
  for (let cut = 0; cut < 5; cut++) {
    await vi.waitFor(() => expect(client.end()).toBeGreaterThan((cut + 1) * 20_000), { interval: 1 });
    client.cut();
    await client.closed;
    const attach = { type: 'attach', sid, from: client.end(), cols: 80, rows: 24, writer: request.writer } as const;
    client = connect(tab, attach, { after: client });
    await client.state;
  }
  await client.until(/\nall done\n/);
  const lines = [...client.text().matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));

  expect(lines).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
});

test('input that is sent again because nobody said it was taken runs once', async () => {
  const request = opening('web-1', login);
  const first = connect(tab, request);
  const { sid } = await first.state;
  first.type('echo once >> ~/ran\n');
  first.cut();
  await first.closed;
  const attach = { type: 'attach', sid, cols: 80, rows: 24, writer: request.writer } as const;
  const second = connect(tab, attach);
  const { taken } = await second.state;
  const line = 'echo once >> ~/ran\n';
  second.type(line.slice(taken));
  second.type('echo count=$(wc -l < ~/ran)\n');

  await second.until(/count=1\n/);
});

test('`yes` runs no further than somebody reads, grows nothing, and stops at a Ctrl-C', async () => {
  const request = opening('web-1', login);
  const client = connect(tab, request, { silent: true, discards: true });
  const { sid } = await client.state;
  client.type('yes\n');
  await vi.waitFor(() => expect(client.end()).toBeGreaterThan(900_000), { timeout: 30_000 });
  // The thread that draws screens starts with the first output, and takes its memory once; a flood that nobody reads goes on taking.
  const growth = async () => {
    const before = process.memoryUsage().rss;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return process.memoryUsage().rss - before;
  };
  await vi.waitFor(async () => expect(await growth()).toBeLessThan(5e6), { timeout: 20_000 });
  expect(client.end()).toBeLessThanOrEqual(1024 * 1024);
  client.cut();
  await client.closed;

  const attach = { type: 'attach', sid, cols: 80, rows: 24, writer: request.writer } as const;
  const second = connect(tab, attach);
  const { taken } = await second.state;
  expect(taken).toBe(4);
  const from = second.end();
  second.type('\x03');
  second.type('echo stop""ped\n');
  await second.until(/\nstopped\n/);
  // What was held for it, and what lay on the way there: a program that went on would print that much in a blink.
  expect(second.end() - from).toBeLessThan(4 * 1024 * 1024);
});

test('what is not there, not seen, not allowed or not answering is refused in words', async () => {
  const [port, hostKeys] = [await freePort(), [world.sshd.hostKey()]];
  await world.add({ name: 'dead', addr: `127.0.0.1:${port}`, hostKeys });
  await world.add({ name: 'prod-1', labels: { env: 'prod' } });
  const refusal = async (server: string, as: string) => {
    const client = connect(tab, opening(server, as));
    const refused = await client.told('refused');
    expect(await client.closed).toBe(1000);
    return refused;
  };

  expect(await refusal('nowhere', login)).toMatchObject({ code: 'not_found' });
  expect(await refusal('prod-1', login)).toMatchObject({ code: 'not_found', message: "server 'prod-1' not found" });
  const denied = await refusal('web-1', 'root');
  expect(denied).toMatchObject({ code: 'denied', message: expect.stringContaining("sign in to 'web-1' as 'root'") });
  expect(await refusal('web-1', 'ghost')).toMatchObject({ code: 'denied' });
  expect(await refusal('dead', login)).toMatchObject({ code: 'target_unreachable' });
  const denials = await world.gateway.storage.db.selectFrom('denial').selectAll().execute();
  expect(denials).toMatchObject([{ id: denied.requestId, user: 'ann' }]);
  expect(await codes()).toContain('GH301W');
  const open = await call(world.ann.send, sessionRoutes.list, { params });
  expect(open.sessions).toEqual([]);
});

test('a server that takes the call and says nothing delays nobody else', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  await world.add({ name: 'silent', addr: `127.0.0.1:${port}`, hostKeys: [world.sshd.hostKey()] });
  const waiting = Array.from({ length: 5 }, () => connect(tab, opening('silent', login)));
  await vi.waitFor(() => expect(waiting.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true));
  const client = connect(tab, opening('web-1', login));
  await client.until(/\$ $/);

  // Nobody has given them up yet, either.
  expect(waiting.flatMap(({ replies }) => replies)).toEqual([]);
});

test('a lock ends it soon, and says why', async () => {
  const client = connect(tab, opening('web-1', login));
  await client.state;
  const body = { targets: { node: 'web-1' }, message: 'maintenance', force: true };
  const from = performance.now();
  await call(world.admin.send, lockRoutes.create, { params, body });
  const ended = await client.told('ended');

  expect(performance.now() - from).toBeLessThan(SOON_MS);
  expect(ended).toMatchObject({ cause: 'locked', message: "the node 'web-1' is locked" });
});

test('sessions are listed for their owner and for who may see them, and ended by either', async () => {
  await world.gateway.addUser('bob', { roles: ['dev'] });
  const bob = await world.gateway.signedIn('bob');
  const client = connect(tab, opening('web-1', login));
  const { sid } = await client.state;
  const ids = async (as: typeof bob) =>
    (await call(as.send, sessionRoutes.list, { params })).sessions.map(({ id }) => id);

  expect([await ids(world.ann), await ids(world.admin), await ids(bob)]).toEqual([[sid], [sid], []]);
  const one = { params: { ...params, sid } };
  await expect(call(bob.send, sessionRoutes.get, one)).rejects.toMatchObject({ status: 404 });
  await expect(call(bob.send, sessionRoutes.end, one)).rejects.toMatchObject({ status: 404 });
  expect(await call(world.ann.send, sessionRoutes.get, one)).toMatchObject({
    kind: 'ssh',
    login,
    server_hostname: 'web-1',
    owner: 'ann',
    parties: [{ user: 'ann' }],
  });
  await call(world.admin.send, sessionRoutes.end, one);
  expect(await client.told('ended')).toMatchObject({ cause: 'ended_by', message: 'it was ended by admin' });
  await vi.waitFor(async () => expect(await ids(world.admin)).toEqual([]));
  expect(await codes()).toContain('GH300I');
});
