import { Duplex } from 'node:stream';
import { MAX_WRITERS, UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ShellEvents, ShellOver } from '../../../sessions/terminal/shell.ts';
import { openAgentShell } from './agent-shell.ts';
import { SmallFrames } from './ssh2-patches/small-frames.ts';

const STATE = { start: 0, end: 0, taken: {}, echo: true, program: '', pid: 1, login: 'u', cols: 80, rows: 24 };
const first = Buffer.concat(encodeShellFrame({ type: 'state', state: STATE }));

/** Takes nothing of what it is sent, and says that the shell is there. */
function deafStream(): Duplex {
  const stream = new Duplex({ read() {}, write() {} });
  setImmediate(() => stream.push(first));
  return stream;
}

test('an agent that reads nothing of what people type and resize is given up before it fills the memory', async () => {
  const over: ShellOver[] = [];
  const streams: Duplex[] = [];
  const nothing = () => {};
  const events: ShellEvents = {
    ...{ begin: nothing, output: nothing, taken: nothing, size: nothing, echo: nothing, program: nothing },
    ...{ away: nothing, back: nothing, over: (one) => over.push(one) },
  };
  const attach = async () => {
    streams.push(deafStream());
    return streams.at(-1) as Duplex;
  };
  const shell = await openAgentShell({
    ...{ attach, events, graceMs: 60_000 },
    whenConnected: async () => {},
    ping: async () => 1,
  });
  for (let writer = 0; writer < MAX_WRITERS; writer++)
    shell.input(writer.toString(16).padStart(16, '0'), 0, Buffer.alloc(UNTAKEN_BYTES));

  await vi.waitFor(
    () => {
      for (let turn = 0; turn < 5_000; turn++) shell.resize({ cols: 80 + (turn % 2), rows: 24 });
      expect(over).toHaveLength(1);
    },
    { timeout: 20_000, interval: 10 },
  );

  expect(over[0]?.reason).toMatch('does not read');
  for (const { writableLength } of streams) expect(writableLength).toBeLessThan(8 * 1024 * 1024);
});

test('an agent that does not let a shell end is let go, and keeps nothing of ours', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const nothing = () => {};
  const events = new Proxy({} as ShellEvents, { get: () => nothing });
  const stream = deafStream();
  const shell = await openAgentShell({
    ...{ attach: async () => stream, events, graceMs: 60_000 },
    whenConnected: async () => {},
    ping: async () => 1,
  });

  shell.end('nobody came back to it');
  expect(stream.destroyed).toBe(false);
  vi.advanceTimersByTime(60_000);

  expect(stream.destroyed).toBe(true);
});

test('small frames are counted by the second, and many at once are no harm', () => {
  let ms = 0;
  const frames = new SmallFrames(() => ms);
  for (let second = 0; second < 10; second++) {
    ms += 1_000;
    for (let count = 0; count < 500; count++) frames.count();
  }

  expect(() => {
    for (let count = 0; count < 5_000; count++) frames.count();
  }).toThrow('small frames');
});
