import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchActivity } from './activity.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const START = new Date('2026-11-15T12:00:00Z').getTime();

let stop = () => {};
const lastActive = () => Number(localStorage.getItem(STORAGE_KEYS.lastActive)) - START;

function watch(timeoutMs: number, restedMs: () => Promise<number | undefined> = async () => undefined) {
  const onInactive = vi.fn();
  ({ stop } = watchActivity(timeoutMs, { storage: localStorage, events: window, now: Date.now, restedMs, onInactive }));
  return onInactive;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  stop();
  localStorage.clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.each(['keydown', 'pointermove', 'pointerdown'])('%s counts as activity', (sign) => {
  watch(5 * MINUTE);
  vi.advanceTimersByTime(20 * SECOND);

  window.dispatchEvent(new Event(sign));

  expect(lastActive()).toBe(20 * SECOND);
});

test('activity is recorded at most once in 15 seconds', () => {
  watch(5 * MINUTE);

  vi.advanceTimersByTime(14_999);
  window.dispatchEvent(new Event('keydown'));
  expect(lastActive()).toBe(0);
  vi.advanceTimersByTime(1);
  window.dispatchEvent(new Event('keydown'));

  expect(lastActive()).toBe(15 * SECOND);
});

test('it is checked every 30 seconds, with a margin of 30 seconds', async () => {
  const onInactive = watch(5 * MINUTE);

  await vi.advanceTimersByTimeAsync(4.5 * MINUTE);
  expect(onInactive).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30 * SECOND);

  expect(onInactive).toHaveBeenCalledTimes(1);
});

test('activity in another tab keeps this one', async () => {
  const onInactive = watch(5 * MINUTE);
  vi.advanceTimersByTime(4 * MINUTE);

  localStorage.setItem(STORAGE_KEYS.lastActive, String(Date.now()));
  await vi.advanceTimersByTimeAsync(2 * MINUTE);

  expect(onInactive).not.toHaveBeenCalled();
});

test('what a terminal keeps to itself counts too', () => {
  watch(5 * MINUTE);
  const terminal = document.body.appendChild(document.createElement('textarea'));
  terminal.addEventListener('keydown', (event) => event.stopPropagation());
  vi.advanceTimersByTime(20 * SECOND);

  terminal.dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true }));

  terminal.remove();
  expect(lastActive()).toBe(20 * SECOND);
});

test('somebody the gateway has seen in an application is not signed out, until they rest there too', async () => {
  let usedAt = START + 4 * MINUTE;
  const rested = vi.fn(async () => Date.now() - usedAt);
  const onInactive = watch(5 * MINUTE, rested);

  await vi.advanceTimersByTimeAsync(4.5 * MINUTE);
  expect(rested).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(lastActive()).toBe(4 * MINUTE);
  usedAt = START + 6 * MINUTE;
  await vi.advanceTimersByTimeAsync(4 * MINUTE);
  expect(onInactive).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2 * MINUTE);

  expect(onInactive).toHaveBeenCalledTimes(1);
});

test('a gateway that does not answer keeps nobody signed in', async () => {
  const onInactive = watch(5 * MINUTE, () => Promise.reject(new TypeError('Failed to fetch')));

  await vi.advanceTimersByTimeAsync(5 * MINUTE);

  expect(onInactive).toHaveBeenCalledTimes(1);
});

test('a timeout of 0 watches nothing', () => {
  const onInactive = watch(0);
  localStorage.setItem(STORAGE_KEYS.lastActive, '1');

  window.dispatchEvent(new Event('keydown'));
  vi.advanceTimersByTime(60 * MINUTE);

  expect(onInactive).not.toHaveBeenCalled();
  expect(localStorage.getItem(STORAGE_KEYS.lastActive)).toBe('1');
});
