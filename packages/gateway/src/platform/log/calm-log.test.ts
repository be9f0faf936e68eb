import { expect, test, vi } from 'vitest';
import { SqliteError, StoreDownError } from '../storage/errors.ts';
import { calmLog } from './calm-log.ts';

function start() {
  const clock = { now: 0 };
  const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  return { clock, log, calm: calmLog(log, () => clock.now) };
}
const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

test('the same outage is told once, then once a minute with how often it was', () => {
  const { clock, log, calm } = start();

  for (let at = 0; at < 364; at += 1) calm.error({ error: refused() }, 'changes cannot be read');
  clock.now = 60_000;
  calm.error({ error: refused() }, 'changes cannot be read');

  expect(log.error.mock.calls).toEqual([
    [{ error: undefined, reason: 'connect ECONNREFUSED 127.0.0.1:5432' }, 'changes cannot be read'],
    [{ error: undefined, reason: 'connect ECONNREFUSED 127.0.0.1:5432', times: 364 }, 'changes cannot be read'],
  ]);
});

test('each message has its own, and its other fields stay', () => {
  const { log, calm } = start();

  calm.warn({ error: new StoreDownError('gone'), sessionId: 'a' }, 'one');
  calm.warn({ error: new StoreDownError('gone') }, 'another');

  expect(log.warn.mock.calls).toEqual([
    [{ error: undefined, reason: 'gone', sessionId: 'a' }, 'one'],
    [{ error: undefined, reason: 'gone' }, 'another'],
  ]);
});

test('a full disk is an outage, in words', () => {
  const { log, calm } = start();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

  for (let at = 0; at < 3; at += 1) calm.error({ error: full }, 'a recording cannot be written');
  calm.error({ error: new SqliteError('database or disk is full', 13) }, 'the log cannot be signed');

  expect(log.error.mock.calls.map(([{ reason }]) => reason)).toEqual([
    'the disk is full (ENOSPC: no space left on device, write)',
    'database or disk is full',
  ]);
});

test('what is nobody’s outage is told every time, with its stack', () => {
  const { log, calm } = start();
  const error = new TypeError('x is not a function');

  calm.error({ error }, 'a session cannot be ended');
  calm.error({ error }, 'a session cannot be ended');
  calm.warn({}, 'the certificate expires soon');

  expect(log.error.mock.calls).toEqual([
    [{ error }, 'a session cannot be ended'],
    [{ error }, 'a session cannot be ended'],
  ]);
  expect(log.warn).toHaveBeenCalledOnce();
});
