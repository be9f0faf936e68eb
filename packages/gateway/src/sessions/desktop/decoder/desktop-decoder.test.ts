import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../platform/std/log.ts';
import { createDesktopDecoder } from './desktop-decoder.ts';

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
