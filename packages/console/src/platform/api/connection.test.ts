import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConnection } from './connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a failed call starts asking for a sign of life, less and less often, and the first one ends it', async () => {
  let isUp = false;
  const ping = vi.fn(async () => isUp);
  const connection = createConnection({ ping });
  const heard = vi.fn();
  connection.subscribe(heard);

  connection.failed();
  connection.failed();
  expect(connection.state()).toBe('lost');
  await vi.advanceTimersByTimeAsync(7000);
  expect(ping).toHaveBeenCalledTimes(3);
  isUp = true;
  await vi.advanceTimersByTimeAsync(8000);

  expect(connection.state()).toBe('ok');
  expect(heard).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ping).toHaveBeenCalledTimes(4);
});

test('an answer to any call ends it too', async () => {
  const ping = vi.fn(async () => false);
  const connection = createConnection({ ping });

  connection.failed();
  connection.answered();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(connection.state()).toBe('ok');
  expect(ping).not.toHaveBeenCalled();
});

test('one can ask at once, and a ping that breaks is no sign of life', async () => {
  const ping = vi.fn(() => Promise.reject(new Error('offline')));
  const connection = createConnection({ ping });

  connection.retry();
  expect(ping).not.toHaveBeenCalled();
  connection.failed();
  connection.retry();
  await vi.advanceTimersByTimeAsync(0);

  expect(ping).toHaveBeenCalledTimes(1);
  expect(connection.state()).toBe('lost');
});
