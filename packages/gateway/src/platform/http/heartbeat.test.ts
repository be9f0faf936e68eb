import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { watchPulse } from './heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function line(answers: boolean) {
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    ping: vi.fn(() => answers && socket.emit('pong')),
    terminate: vi.fn(() => socket.emit('close')),
  });
  watchPulse(socket as unknown as WebSocket);
  return socket;
}

test('a line that answers is left alone, however long nobody says anything', () => {
  const socket = line(true);
  vi.advanceTimersByTime(600_000);

  expect(socket.terminate).not.toHaveBeenCalled();
});

test('a line that is dead is closed within 15 seconds, and asked no more', () => {
  const socket = line(false);
  vi.advanceTimersByTime(15_000);
  expect(socket.terminate).toHaveBeenCalledOnce();
  const asked = socket.ping.mock.calls.length;
  vi.advanceTimersByTime(60_000);

  expect(socket.ping).toHaveBeenCalledTimes(asked);
});
