import { expect, test, vi } from 'vitest';
import { createTrouble } from './trouble.ts';

function start() {
  const clock = { now: 0 };
  const log = { error: vi.fn(), info: vi.fn() };
  const words = { begun: 'it fails', over: 'it works again' };
  return { clock, log, trouble: createTrouble({ log, now: () => clock.now, words }) };
}

test('its beginning and its end are told, with how often and how long', () => {
  const { clock, log, trouble } = start();
  trouble.worked();

  for (; clock.now < 12_000; clock.now += 250) trouble.failed('refused');
  trouble.worked();
  trouble.worked();

  expect(log.error.mock.calls).toEqual([[{ reason: 'refused' }, 'it fails']]);
  expect(log.info.mock.calls).toEqual([[{ times: 48, seconds: 12 }, 'it works again']]);
});

test('while it lasts it is told again once a minute, and a new one is a new one', () => {
  const { clock, log, trouble } = start();

  for (; clock.now <= 120_000; clock.now += 1_000) trouble.failed('refused');
  expect(log.error.mock.calls.map(([fields]) => fields)).toEqual([
    { reason: 'refused' },
    { reason: 'refused', times: 61, seconds: 60 },
    { reason: 'refused', times: 121, seconds: 120 },
  ]);
  trouble.worked();
  trouble.failed('refused');
  expect(log.error).toHaveBeenLastCalledWith({ reason: 'refused' }, 'it fails');
});
