import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { stopSignals } from './stop-signals.ts';

function listen() {
  const source = new EventEmitter();
  const clock = { now: 0 };
  return { source, clock, signals: stopSignals(source, () => clock.now) };
}

const NOT_YET = Promise.resolve('not yet');

test('the first signal asks to stop, a later one to stop at once', async () => {
  const { source, clock, signals } = listen();

  source.emit('SIGTERM', 'SIGTERM');
  expect(await signals.first).toBe('SIGTERM');

  clock.now = 2000;
  source.emit('SIGINT', 'SIGINT');
  expect(await signals.second).toBe('SIGINT');
});

test('one Ctrl-C delivered twice is one wish', async () => {
  const { source, clock, signals } = listen();

  source.emit('SIGINT', 'SIGINT');
  clock.now = 100;
  source.emit('SIGINT', 'SIGINT');

  expect(await Promise.race([signals.second, NOT_YET])).toBe('not yet');
});

test('after release signals do what they always did', () => {
  const { source, signals } = listen();

  signals.release();

  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
});
