/** Real programs in a real agent's shell behind a real gateway: editors, pagers, a flood, a shell that dies, a gateway that does. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { connectCompat } from '../../../testing/sessions/compat-client.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../testing/sessions/process-world.ts';
import {
  type ClientOptions,
  connectTerminal,
  opening,
  type TerminalClient,
} from '../../../testing/sessions/terminal-client.ts';

const ESCAPE = '\x1b';
const PLAIN = 'plain';
const FLOOD_MS = 3_000;
/** Enough for a shell on a busy machine to answer meanwhile. */
const HELD_SECONDS = 8;

let world: ProcessWorld;
let sshd: TestSshd;
beforeAll(async () => {
  // What this gateway holds has the drain time when it is told to stop, less a third for writing it down.
  const settings = { GATEHOUSE_DRAIN_SECONDS: String(HELD_SECONDS * 1.5) };
  [world, sshd] = await Promise.all([startProcessWorld(settings), startSshd()]);
  sshd.trust((await world.gateway.command('ca', 'export')).stdout.trim().split('\n'));
  await world.gateway.command('nodes', 'add', PLAIN, sshd.addr);
});
afterAll(async () => {
  await world?.close();
  await sshd?.stop();
});

async function openShell(server = SERVER, options: ClientOptions = {}) {
  const request = opening(server, world.login);
  const client = connectTerminal(world.tab, request, options);
  onTestFinished(() => client.cut());
  const { sid } = await client.state;
  client.type(`unset PROMPT_COMMAND HISTFILE; PS1='rea''dy$ '\n`);
  await client.until(/ready\$ $/);
  return { client, sid, request };
}

async function attach(sid: string, from?: number): Promise<TerminalClient> {
  const where = from === undefined ? {} : { from };
  for (;;) {
    const writer = '00000000000000cc';
    const client = connectTerminal(world.tab, { type: 'attach', sid, cols: 80, rows: 24, writer, ...where });
    if (await client.state.catch(() => undefined)) {
      onTestFinished(() => client.cut());
      return client;
    }
    await sleep(100);
  }
}

const program = (client: TerminalClient, name: string) =>
  vi.waitFor(() => expect(client.replies.findLast(({ type }) => type === 'program')).toMatchObject({ program: name }), {
    timeout: 5_000,
  });
/** Of this process, without pages of files. */
const memoryOf = (pid: number) =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

test.each([SERVER, PLAIN])(
  'what is typed before the shell of %s is there waits for it, on both sockets',
  async (server) => {
    const reference = connectCompat(world.tab, server, world.login);
    onTestFinished(() => reference.socket.terminate());
    await reference.open();
    for (const key of 'echo "is $((6*7))"; stty size') reference.type(key);
    reference.resize(90, 20);
    reference.resize(100, 30);
    reference.type('\n');
    await vi.waitFor(() => expect(reference.text()).toMatch(/is 42\r\n30 100\r\n/), { timeout: 20_000 });

    const own = connectTerminal(world.tab, opening(server, world.login));
    onTestFinished(() => own.cut());
    await once(own.socket, 'open');
    own.send({ type: 'resize', cols: 90, rows: 20 });
    own.type('echo "is $((6*7))"; stty size\n');
    await own.until(/is 42\n20 90\n/);
  },
);

test('vim goes on where it was when the gateway is killed under it', async () => {
  const { client, sid } = await openShell();
  client.type('vim -u NONE ~/letter\n');
  await program(client, 'vim');
  client.type('ibefore the crash');
  await client.until(/before the crash/);

  await world.gateway.crashAndRestart();
  const back = await attach(sid);
  await program(back, 'vim');
  back.type(`${ESCAPE}oand after it${ESCAPE}:wq\n`);
  await back.until(/ready\$ $/);
  back.type('cat ~/letter\n');

  await back.until(/before the crash\nand after it\nready\$ $/);
});

test('top and less fill the screen and give it back', async () => {
  const { client } = await openShell();
  client.type('top -d 1\n');
  await client.until(/load average/);
  await program(client, 'top');
  client.send({ type: 'resize', cols: 100, rows: 30 });
  client.type('q');
  await client.until(/ready\$ $/);
  client.type('seq 1 500 > ~/numbers; less ~/numbers\n');
  await program(client, 'less');
  client.type('G');
  await client.until(/500/);
  client.type('q');
  await client.until(/ready\$ $/);
  await program(client, '');
});

test.each([SERVER, PLAIN])('characters are UTF-8 on %s', async (server) => {
  const { client } = await openShell(server);
  client.type('locale charmap; printf "┌─┐ 🙂\\n" | wc -m\n');

  await client.until(/UTF-8\n6\n/);
});

test('a flood is no further than it is read, grows nothing, and stops at Ctrl-C', async () => {
  const { client } = await openShell(SERVER, { discards: true });
  const { client: other } = await openShell(PLAIN);
  client.type('yes\n');
  await vi.waitFor(() => expect(client.end()).toBeGreaterThan(5_000_000), { timeout: 60_000 });
  const pids = [world.gateway.pid(), world.agentPid()];
  const before = pids.map(memoryOf);
  const from = client.end();
  await sleep(FLOOD_MS);
  await vi.waitFor(() => expect(client.end() - from).toBeGreaterThan(1_000_000));
  const after = pids.map(memoryOf);
  other.type('echo meanwhile\n');
  await other.until(/meanwhile\n/);
  client.type('\x03');
  await client.until(/\^C[\s\S]*ready\$ $/);

  for (const [index, megabytes] of after.entries()) expect(megabytes - (before[index] ?? 0)).toBeLessThan(60);
});

test('who comes late sees all of it, from the recording', async () => {
  const { client, sid } = await openShell();
  client.type('for i in $(seq 1 100000); do echo "line $i of many"; done; echo all d""one\n');
  await client.until(/all done\n/, 30_000);
  // The holder keeps what is not yet stored, and a screenful more.
  await sleep(1_500);
  const late = await attach(sid, 0);
  await vi.waitFor(() => expect(late.end()).toBe(client.end()), { timeout: 10_000 });

  expect(late.replies.filter(({ type }) => type === 'notice')).toEqual([]);
  expect(late.output().equals(client.output())).toBe(true);
});

test('a shell that dies says how, and one whose login is not there never begins', async () => {
  const { client } = await openShell();
  client.type('kill -9 $$\n');
  expect(await client.told('ended')).toMatchObject({ cause: 'exited', exitCode: 137 });
  const ghost = connectTerminal(world.tab, opening(PLAIN, 'ghost'));

  expect(await ghost.told('refused')).toMatchObject({ code: 'denied', message: expect.stringContaining('ghost') });
});

test('a gateway that is told to stop gives what it holds its time, and says why it ends', async () => {
  const [held, agents] = [await openShell(PLAIN), await openShell()];
  const from = performance.now();
  const stopped = world.gateway.restart();
  expect(await held.client.told('notice')).toMatchObject({
    kind: 'ends_soon',
    text: expect.stringMatching(/^the gateway is closing: this session ends in [1-8] s$/),
  });
  expect(await agents.client.closed).toBe(1012);
  held.client.type('echo still $((1+1)) here\n');
  await held.client.until(/still 2 here\n/);
  const ended = await held.client.told('ended');
  const tookMs = performance.now() - from;
  await stopped;

  expect(ended).toMatchObject({ cause: 'gateway_stopping', message: 'the gateway is closing' });
  expect(tookMs).toBeGreaterThan(HELD_SECONDS * 1_000 - 500);
  expect(tookMs).toBeLessThan(HELD_SECONDS * 1_000 + SOON_MS);
  const back = await attach(agents.sid);
  back.type('echo still there\n');
  await back.until(/still there\n/);
});
