/** An agent that says whatever it likes about the shell it holds: it loses that shell, and nobody else notices. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { AgentShellFrame, ShellState } from '@gatehouse/contract/reach/agents/shell-frames';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ShellWorld, startShellWorld } from '../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../../testing/sessions/terminal-client.ts';

const STATE: ShellState = {
  ...{ start: 0, end: 0, taken: {}, echo: true, program: '', pid: 1, login: 'ubuntu', cols: 80, rows: 24 },
};
const WRITER = '00000000000000aa';

let world: ShellWorld;
let serve: (stream: Duplex) => void = () => {};
let delay: ReturnType<typeof monitorEventLoopDelay>;
beforeAll(async () => {
  world = await startShellWorld({ onShell: (stream) => serve(stream) });
});
afterAll(() => world.close());
beforeEach(() => {
  delay = monitorEventLoopDelay();
  delay.enable();
});
afterEach(() => void delay.disable());

const bytesOf = (frame: AgentShellFrame) => Buffer.concat(encodeShellFrame(frame));

/** What the owner of the terminal is told in the end. */
async function lastWords(onShell: (stream: Duplex) => void, { isReading = true } = {}): Promise<string> {
  serve = onShell;
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  const rest = () => {
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 700);
  };
  // Counted from there: on a busy machine the state comes later than that, and what then rests would never go on.
  if (!isReading) void client.state.then(rest).catch(() => {});
  await client.closed;
  const said = client.replies.find(({ type }) => type === 'ended' || type === 'refused');
  return said && 'message' in said ? said.message : '';
}

test.each([
  ['at the last number there is', Number.MAX_SAFE_INTEGER, /malformed at 'start'/],
  ['in the past', 1, /a shell that was just begun has no past/],
])('a shell that is begun here and claims to begin %s is not opened', async (_, start, words) => {
  const said = await lastWords((stream) => {
    const [head] = encodeShellFrame({ type: 'output', offset: start, bytes: Buffer.alloc(16, 0x41) });
    stream.write(bytesOf({ type: 'state', state: { ...STATE, start, end: start } }));
    stream.write(head as Buffer);
    for (let byte = 0; byte < 6; byte++) setTimeout(() => !stream.destroyed && stream.write('A'), byte * 20);
  });

  expect(said).toMatch(words);
  expect(delay.max / 1e6).toBeLessThan(SOON_MS);
});

/** Writes as fast as it is taken, until it is cut; never reads. */
function flood(stream: Duplex, frames: (turn: number) => AgentShellFrame): void {
  stream.pause();
  stream.write(bytesOf({ type: 'state', state: STATE }));
  let turn = 0;
  const more = () => {
    while (
      !stream.destroyed &&
      stream.write(Buffer.concat(Array.from({ length: 400 }, () => bytesOf(frames(turn++)))))
    );
    if (!stream.destroyed) stream.once('drain', () => setImmediate(more));
  };
  setTimeout(more, 50);
}

test.each<[string, (turn: number) => AgentShellFrame, RegExp]>([
  ['programs', (turn) => ({ type: 'program', program: `${'x'.repeat(250)}${turn % 10}` }), /small frames/],
  ['sizes', (turn) => ({ type: 'size', offset: 0, cols: 80 + (turn % 2), rows: 24 }), /small frames/],
  ['changes of echo', (turn) => ({ type: 'echo', offset: 0, echo: turn % 2 === 0 }), /small frames/],
  ['nothing typed was taken', (turn) => ({ type: 'taken', writer: WRITER, offset: turn }), /small frames/],
  ['output of no bytes', () => ({ type: 'output', offset: 0, bytes: Buffer.alloc(0) }), /small frames/],
  ['states', () => ({ type: 'state', state: STATE }), /'state' out of turn/],
  [
    'output that nobody asked for',
    (turn) => ({ type: 'output', offset: turn * 1000, bytes: Buffer.alloc(1000) }),
    /more than it was asked for|has a hole/,
  ],
])('an agent that floods with %s loses the shell, and nobody waits', async (_, frames, words) => {
  const said = await lastWords((stream) => flood(stream, frames), { isReading: false });

  expect(said).toMatch(words);
  expect(delay.max / 1e6).toBeLessThan(SOON_MS);
});

test.each<[string, AgentShellFrame[], RegExp]>([
  ['something before the state', [{ type: 'program', program: 'vi' }], /'program' out of turn/],
  [
    'output with a hole',
    [
      { type: 'state', state: STATE },
      { type: 'output', offset: 1, bytes: Buffer.from('x') },
    ],
    /has a hole/,
  ],
])('an agent that sends %s is given up after a few tries', async (_, frames, words) => {
  const said = await lastWords((stream) => void stream.write(Buffer.concat(frames.map(bytesOf))));

  expect(said).toMatch(words);
});
