/** A recording of a session with a database that breaks off, or whose disk is slower than its client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type RecordingMode, sessionOptions } from '../../access/session-options.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { StatementRecorder } from '../../sessions/statements/statement-recorder.ts';
import { createDbRecordings } from './db-recordings.ts';

function hostedAs(mode: RecordingMode): HostedSession {
  const options = sessionOptions({ roles: [] });
  const quiet = () => {};
  return new HostedSession({
    session: { id: 's', user: 'ann', created: 0, recorded: true, action: { kind: 'db' } } as unknown as Session,
    options: { ...options, recording: { ...options.recording, db: mode } },
    rules: [],
    now: () => 0,
    ...{ onEnd: quiet, onEnter: quiet, onLeave: quiet, onRemove: quiet, onConnected: quiet },
    ...{ onResize: quiet, onFlow: quiet },
  });
}

function world(mode: RecordingMode) {
  let fail = (_reason: string) => {};
  const hear = (listener: typeof fail) => {
    fail = listener;
  };
  const close = vi.fn();
  const writer = {
    ...{ isOpen: () => true, asked: () => 1, answered() {}, sample() {}, behind: () => undefined },
    ...{ onFailed: hear, onFull() {}, close, release() {} },
  } as StatementRecorder;
  const recorder = {
    ...{ isOn: true, begins: vi.fn(async () => {}), skip: async () => {}, settled: async () => {} },
    open: vi.fn(async () => writer),
  };
  const hosted = hostedAs(mode);
  return {
    hosted,
    recorder,
    close,
    fail: (reason: string) => fail(reason),
    recordings: createDbRecordings({ recorder, log: silentLog }),
  };
}

test('strict: a session ends with the reason when its disk fails in the middle', async () => {
  const { hosted, recordings, fail } = world('strict');
  await recordings.attach(hosted).ready;
  fail('ENOSPC');

  expect(hosted.end).toEqual({ cause: 'unrecorded', message: 'it cannot be recorded any more: ENOSPC' });
});

test('best effort: it goes on without, and the session is no longer told to be recorded', async () => {
  const { hosted, recordings, fail } = world('best_effort');
  const attached = recordings.attach(hosted);
  await attached.ready;
  fail('ENOSPC');

  expect([hosted.end, hosted.session.recorded, attached.recorder]).toEqual([undefined, false, undefined]);
});

test('what is noted with a session is noted with those that are to be recorded', async () => {
  const { recordings, recorder } = world('best_effort');
  const tx = {} as Tx;
  for (const recorded of [true, false]) await recordings.noted?.(tx, { id: `s-${recorded}`, recorded });

  expect(recorder.begins.mock.calls).toEqual([[tx, 's-true']]);
});

test('several connections share one recording, which is closed after the last answer of the last of them', async () => {
  const { hosted, recordings, recorder, close } = world('best_effort');
  const [first, second] = [recordings.attach(hosted), recordings.attach(hosted)];
  await Promise.all([first.ready, second.ready]);
  expect(recorder.open).toHaveBeenCalledTimes(1);
  first.detach();
  hosted.finish({ cause: 'closed', message: 'the client left' });
  await sleep(0);
  expect(close).not.toHaveBeenCalled();
  second.detach();
  await recordings.settled();

  expect(close).toHaveBeenCalledExactlyOnceWith({ cause: 'closed', message: 'the client left' });
});
