/** A shell that an agent holds outlives networks and gateways: not a byte is lost or repeated in either direction. Nor is a write that a killed gateway has acknowledged. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CURRENT_CLUSTER, clusterRoutes } from '@gatehouse/contract/console/clusters';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recordedOutput } from '../../../testing/recordings/recorded-output.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../testing/sessions/process-world.ts';
import { connectTerminal, opening, type TerminalClient } from '../../../testing/sessions/terminal-client.ts';

const CUTS = 20;
const KILLS = 20;
const LINES = 100_000;

let world: ProcessWorld;
beforeAll(async () => {
  world = await startProcessWorld();
});
afterAll(() => world?.close());

/** A tab that comes back by itself, and types again what nobody said was taken. */
async function openSurvivor() {
  const request = opening(SERVER, world.login);
  let client = connectTerminal(world.tab, request);
  const { sid, survives } = await client.state;
  const typed: Buffer[] = [];
  const attach = async (): Promise<TerminalClient> => {
    const again = { type: 'attach', sid, from: client.end(), cols: 80, rows: 24, writer: request.writer } as const;
    for (;;) {
      const next = connectTerminal(world.tab, again, { after: client });
      const state = await next.state.catch(() => undefined);
      if (!state) {
        await sleep(100);
        continue;
      }
      expect(state.from).toBe(again.from);
      next.type(Buffer.concat(typed).subarray(state.taken));
      return next;
    }
  };
  return {
    sid,
    survives,
    current: () => client,
    type(text: string) {
      typed.push(Buffer.from(text));
      if (client.socket.readyState === client.socket.OPEN) client.type(text);
    },
    async comeBack() {
      client.cut();
      await client.closed;
      client = await attach();
    },
  };
}

function numbers(text: string, word: string): number[] {
  return [...text.matchAll(new RegExp(`^${word} (\\d+)$`, 'gm'))].map(([, number]) => Number(number));
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Writes alerts until the gateway is gone, and notes the names it acknowledged. */
async function writeUntilKilled(round: number, acknowledged: string[]): Promise<void> {
  try {
    for (let index = 0; ; index += 1) {
      const name = `round-${round}-${index}`;
      await call(world.owner, clusterRoutes.postAlert, {
        params: { clusterId: CURRENT_CLUSTER },
        body: { name, message: name },
      });
      acknowledged.push(name);
    }
  } catch {
    // It is gone.
  }
}

/** Taking it back answers 404 when it is not there, and keeps the table small. */
async function takeBack(names: readonly string[]): Promise<void> {
  for (const name of names) {
    await call(world.owner, clusterRoutes.removeAlert, { params: { clusterId: CURRENT_CLUSTER, name } });
  }
}

test(`a lost network ${CUTS} times, a gateway killed ${KILLS} times in the middle of writes: every line once and recorded, every acknowledged write there`, {
  timeout: 400_000,
}, async () => {
  const tab = await openSurvivor();
  expect(tab.survives).toBe(true);
  // One counts by itself, and keeps what it printed; the other answers each line that is typed.
  // It waits on a pipe that stays empty: a program of its own for each hundredth of a second would cost more than all the rest.
  const wait = 'read -rt 0.01 -u 9';
  const count = `i=0; while [ ! -e ~/enough ]; do i=$((i+1)); echo "tick $i"; ${wait}; done`;
  const ticks = `(mkfifo ~/empty; exec 9<>~/empty; ${count} | tee ~/ticks) &`;
  const answers = 'while read -r word && [ "$word" != stop ]; do echo "got $word"; done';
  tab.type(`stty -echo; PS1=; set +m; ${ticks} ${answers}; touch ~/enough; wait; echo "sum $(sha256sum < ~/ticks)"\n`);
  await sleep(500);
  let said = 0;
  const say = () => tab.type(`${++said}\n`);
  for (let round = 0; round < CUTS; round++) {
    for (let index = 0; index < 50; index++) say();
    if (round % 2 === 0) world.cutAgent();
    for (let index = 0; index < 50; index++) say();
    if (round % 3 !== 1) await tab.comeBack();
  }
  let written = 0;
  for (let round = 0; round < KILLS; round++) {
    const acknowledged: string[] = [];
    const writing = writeUntilKilled(round, acknowledged);
    for (let index = 0; index < 50; index++) say();
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(1), { interval: 1 });
    // A different moment of the work each time.
    await sleep(20 + round * 7);
    const killed = world.gateway.crashAndRestart();
    for (let index = 0; index < 50; index++) say();
    await killed;
    await writing;
    await takeBack(acknowledged);
    written += acknowledged.length;
    await tab.comeBack();
  }
  tab.type('last\nstop\n');
  await tab.current().until(/sum [0-9a-f]{64} /, 60_000);
  const text = tab.current().text();
  const ticked = text.match(/^tick \d+\n/gm) ?? [];

  expect(written).toBeGreaterThan(KILLS);
  expect(numbers(text, 'got')).toEqual(upTo(said));
  expect(numbers(text, 'tick')).toEqual(upTo(ticked.length));
  expect(createHash('sha256').update(ticked.join('')).digest('hex')).toBe(/sum ([0-9a-f]{64})/.exec(text)?.[1]);
  tab.current().send({ type: 'end' });
  await tab.current().told('ended');
  const recording = join(world.gateway.dataDir, 'recordings', `${tab.sid}.rec`);
  await vi.waitFor(async () => expect(await recordedOutput(recording)).toEqual(tab.current().output()), 5_000);
});

test('much output while the network is cut arrives whole', { timeout: 200_000 }, async () => {
  const tab = await openSurvivor();
  tab.type(`stty -echo; PS1=; for i in $(seq 1 ${LINES}); do echo "line $i"; done; echo finished\n`);
  for (let round = 0; round < CUTS; round++) {
    await sleep(50);
    if (round % 2 === 0) world.cutAgent();
    else await tab.comeBack();
  }
  await tab.current().until(/\nfinished\n/, 60_000);

  expect(numbers(tab.current().text(), 'line')).toEqual(upTo(LINES));
  tab.current().send({ type: 'end' });
});

test('a login that is not there is refused in the words of the agent', async () => {
  const refused = () => connectTerminal(world.tab, opening(SERVER, 'ghost')).told('refused');

  // The test before this one cut the agent off: it may only just be on its way back.
  await expect.poll(refused, { timeout: 30_000, interval: 500 }).toMatchObject({
    code: expect.stringMatching(/denied|target_unreachable/),
    message: expect.stringContaining('ghost'),
  });
});
