import { type ChildProcess, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../platform/std/log.ts';
import { createDesktopDecoder, decoderArguments } from './desktop-decoder.ts';

afterEach(() => vi.useRealTimers());

test('a process that hangs is ended, however much others go on asking it', async () => {
  vi.useFakeTimers();
  const kill = vi.fn();
  const child = Object.assign(new EventEmitter(), { send: vi.fn(), unref: vi.fn(), kill });
  const decoder = createDesktopDecoder({ log: silentLog, startProcess: () => child as unknown as ChildProcess });
  for (let number = 0; number < 4; number += 1) {
    decoder
      .open()
      .begin({ width: 800, height: 600 })
      .catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
  }

  expect(kill).toHaveBeenCalledWith('SIGKILL');
});

test.each(['decoder-process.ts', 'decoder-process.js'])(
  '%s may read its code, and nothing else of the machine',
  (name) => {
    const args = decoderArguments(join(import.meta.dirname, name));
    const read = (path: string) =>
      spawnSync(process.execPath, [...args, '-p', `fs.readFileSync(${JSON.stringify(path)}).length > 0`], { env: {} });

    expect(read(join(import.meta.dirname, 'decoder-process.ts')).stdout.toString()).toBe('true\n');
    for (const path of ['/etc/passwd', '/proc/self/environ', join(import.meta.dirname, '../../../../../../LICENSE')])
      expect(read(path).stderr.toString()).toContain('ERR_ACCESS_DENIED');
  },
);

test.each([
  [undefined],
  ['text'],
  [{ type: 'said', picture: 1, bytes: 5 }],
  [{ type: 'copied', picture: 1, text: {} }],
  [{ type: 'done', id: 1, drawn: { width: 1, height: 1, draws: 1, bytes: new Uint8Array(), tiles: [{ left: -1 }] } }],
  [{ type: 'failed', id: 1 }],
])('a process that says %j is ended, and nobody is told any of it', (said) => {
  const kill = vi.fn();
  const child = Object.assign(new EventEmitter(), { send: vi.fn(), unref: vi.fn(), kill });
  const decoder = createDesktopDecoder({ log: silentLog, startProcess: () => child as unknown as ChildProcess });
  const voice = { said: vi.fn(), copied: vi.fn() };
  decoder
    .openClient(voice)
    .begin({ width: 800, height: 600 })
    .catch(() => {});
  child.emit('message', said);

  expect(kill).toHaveBeenCalledWith('SIGKILL');
  expect([voice.said.mock.calls, voice.copied.mock.calls]).toEqual([[], []]);
});

test('a picture that is said to be larger than it is is taken by nobody', async () => {
  const sent: { id: number }[] = [];
  const send = (message: { id: number }) => void sent.push(message);
  const child = Object.assign(new EventEmitter(), { send, unref: vi.fn(), kill: vi.fn() });
  const decoder = createDesktopDecoder({ log: silentLog, startProcess: () => child as unknown as ChildProcess });
  const answer = (drawn?: object) => child.emit('message', { type: 'done', id: sent.at(-1)?.id, drawn });
  const desktop = decoder.open();
  const begun = desktop.begin({ width: 800, height: 600 });
  answer();
  await begun;
  const looked = expect(desktop.look({ as: 'raw' })).rejects.toThrow('not as large as it is said to be');
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  answer({ width: 0xffff_ffff, height: 0xffff_ffff, draws: 1, bytes: new Uint8Array(16) });
  await looked;
});
