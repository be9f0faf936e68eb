/** Agents that break the rules of commands, and agents from before there were any. */
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type AgentExecFrame, EXEC_FRAMES, EXEC_WINDOW_BYTES } from '@gatehouse/contract/reach/agents/exec-frames';
import { encodeExecFrame } from '@gatehouse/tunnel/commands/exec-frame-codec';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Resource } from '../../../inventory/resource-store.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { runAgentCommand } from '../run-command.ts';
import { AgentExec } from './agent-exec.ts';

function begin(): { running: AgentExec; far: Duplex; say(...frames: AgentExecFrame[]): void } {
  const [near, far] = duplexPair();
  far.on('error', () => {});
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  const running = new AgentExec(near, { command: 'true', env: {} });
  const say = (...frames: AgentExecFrame[]) => {
    far.write(Buffer.concat(frames.flatMap(encodeExecFrame)));
  };
  return { running, far, say };
}

const data = (stream: 'stdout' | 'stderr', length = 1): AgentExecFrame => ({
  type: 'data',
  stream,
  bytes: Buffer.alloc(length, 'x'),
});
const eof = (stream: 'stdout' | 'stderr'): AgentExecFrame => ({ type: 'eof', stream });
const exit: AgentExecFrame = { type: 'exit', exit: { code: 0 } };

test('an honest end is told after the last byte was read', async () => {
  const { running, say } = begin();
  let isOver = false;
  void running.ended.then(() => {
    isOver = true;
  });
  say(data('stdout', 10), eof('stdout'), data('stderr'), eof('stderr'), exit);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);

  expect([await text(running.stdout), await text(running.stderr)]).toEqual(['x'.repeat(10), 'x']);
  expect(await running.ended).toEqual({ kind: 'exit', code: 0 });
});

test.each<[string, AgentExecFrame[], RegExp]>([
  ['an exit before the end of its output', [eof('stdout'), exit], /before that of its output/],
  ['output after its end', [eof('stdout'), data('stdout')], /after its end/],
  ['the same end twice', [eof('stderr'), eof('stderr')], /twice/],
  ['room it was never asked for', [{ type: 'window', stream: 'stdin', bytes: 1 }], /more room/],
  [
    'more than it was asked for',
    [...Array.from({ length: 16 }, () => data('stdout', EXEC_WINDOW_BYTES / 16)), data('stdout')],
    /more than it was asked for/,
  ],
])('%s ends the command as lost, with what came before', async (_, frames, why) => {
  const { running, far, say } = begin();
  say(...frames);

  const end = await running.ended;

  expect(end).toEqual({ kind: 'lost', why: expect.stringMatching(why) });
  await Promise.all([text(running.stdout), text(running.stderr)]);
  expect(far.destroyed).toBe(true);
});

test('an exit that is told twice changes nothing', async () => {
  const { running, say } = begin();
  say(eof('stdout'), eof('stderr'), exit, { type: 'exit', exit: { code: 1 } });
  running.stdout.resume();
  running.stderr.resume();

  expect(await running.ended).toEqual({ kind: 'exit', code: 0 });
});

test('bytes by chance end it in words, and never in an exception', async () => {
  const head = fc.tuple(fc.constantFrom(...Object.values(EXEC_FRAMES), 0, 77), fc.nat(40)).map(([type, length]) => {
    const bytes = Buffer.alloc(5);
    bytes[0] = type;
    bytes.writeUInt32BE(length, 1);
    return bytes;
  });
  const pieces = fc.array(fc.oneof(head, fc.uint8Array({ maxLength: 40 })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(pieces, async (sent) => {
      const { running, far } = begin();
      running.stdout.resume();
      running.stderr.resume();
      for (const piece of sent) if (!far.destroyed) far.write(piece);
      far.end();
      setImmediate(() => far.destroy());

      expect(['exit', 'signal', 'lost']).toContain((await running.ended).kind);
    }),
    { numRuns: 300 },
  );
});

test('a million single bytes weigh no more than they are', async () => {
  const { running, far } = begin();
  const one = Buffer.concat(encodeExecFrame(data('stdout')));
  const many = Buffer.concat(Array.from({ length: 10_000 }, () => one));
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < 100; round++) await new Promise((resolve) => far.write(many, resolve));

  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  running.close();
  expect(await running.ended).toEqual({ kind: 'lost', why: 'the gateway ended it' });
});

test('an agent that takes no input is sent no more than it has room for', async () => {
  const { running, far } = begin();
  let got = 0;
  far.on('data', (bytes: Buffer) => {
    got += bytes.length;
  });
  for (let round = 0; round < 5; round++) running.stdin.write(Buffer.alloc(EXEC_WINDOW_BYTES));
  await new Promise((resolve) => setTimeout(resolve, 50));

  expect(got).toBeGreaterThan(EXEC_WINDOW_BYTES);
  expect(got).toBeLessThan(EXEC_WINDOW_BYTES + 10_000);
  expect(running.stdin.writableNeedDrain).toBe(true);
  running.close();
});

test('an agent that reads nothing is sent no signals without end', async () => {
  const { running } = begin();
  for (let turn = 0; turn < 200_000; turn++) running.signal('USR1');
  setTimeout(() => running.close(), 500);

  expect(await running.ended).toEqual({ kind: 'lost', why: 'the agent does not read what it is sent' });
});

test('a command no system takes is refused before anybody is asked', async () => {
  const toAgent = () => Promise.reject(new Error('somebody was asked'));
  const resource = { name: 'web-1', owner: 'a' } as Resource;
  const run = (command: string) =>
    runAgentCommand({ toAgent }, { resource, login: 'root', who: { user: 'ann', session: 's' }, command, env: {} });

  await expect(run('x'.repeat(130 * 1024))).rejects.toThrow('it is longer than 127 KiB');
  await expect(run('a\0b')).rejects.toThrow('it has a zero byte');
});

test('an agent from before there were commands is refused with what to do', async () => {
  const said = new StreamRefused('not_found', "this agent knows no target 'exec'");
  const toAgent = () => Promise.reject(new AppError('target_unreachable', 'could not get there', { cause: said }));
  const resource = { name: 'web-1', owner: 'a' } as Resource;
  const who = { user: 'ann', session: 's' };

  await expect(
    runAgentCommand({ toAgent }, { resource, login: 'root', who, command: 'true', env: {} }),
  ).rejects.toMatchObject({
    code: 'target_unreachable',
    message: expect.stringContaining('update the agent on web-1'),
  });
});
