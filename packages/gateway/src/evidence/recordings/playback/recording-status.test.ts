import { expect, test, vi } from 'vitest';
import { silentLog } from '../../../platform/std/log.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { begunRecording, type KnownRecording } from '../recording-status-store.ts';
import { BucketAway } from '../stores/bucket-away.ts';
import type { BucketStore } from '../stores/bucket-store.ts';
import { NO_STORE } from '../stores/recording-store.ts';
import { openSpooledStore } from '../stores/spooled-store.ts';
import { createRecordingStates } from './recording-status.ts';

const states = createRecordingStates({
  store: { open: async () => undefined },
  keys: [],
  place: 'here',
  hasBucket: false,
  now: () => 2000,
});
const session = (more: Partial<Session>) =>
  ({
    ...{ id: 's', action: { type: 'connect', kind: 'node' }, created: 1000, recorded: false, interactive: true },
    ...{ ended: undefined, ...more },
  }) as unknown as Session;
const file = { bytes: 516, read: async () => Buffer.alloc(0), close: async () => {} };

test('says why there is nothing to play', async () => {
  const of = (more: Partial<Session>) => states.with(session(more), undefined, file);
  const ended = { at: 1500, cause: 'failed', message: 'the server refused the login' } as const;

  expect(await states.with(session({}), undefined, undefined)).toMatchObject({
    state: 'disabled',
    reason: 'recording was switched off for this session',
  });
  expect(await of({ ended })).toMatchObject({ state: 'never_connected', playable: false, reason: ended.message });
  expect(await of({ ended, interactive: false, connected: 1100 })).toMatchObject({
    state: 'non_interactive',
    playable: false,
  });
});

const ended = {
  ...session({}),
  recorded: true,
  connected: 1100,
  ended: { at: 1500, cause: 'closed' },
} as unknown as Session;
const whole = (over: Partial<KnownRecording> = {}): KnownRecording => ({
  ...begunRecording('s'),
  state: 'complete',
  bytes: 900,
  checked: 1600,
  mark: { end: 900, hash: 'ab', place: 'there' },
  ...over,
});
const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });

test('a bucket that is away breaks no list: each is as it was last seen, with why it does not play', async () => {
  const open = vi.fn(async () => {
    throw new BucketAway(refused());
  });
  const bucket = { ...NO_STORE, open } as unknown as BucketStore;
  const local = { ...NO_STORE, beside: async () => [] };
  const store = openSpooledStore({ folder: '/x', local, bucket, log: silentLog, onTried: async () => {} });
  const away = createRecordingStates({ store, keys: [], place: 'here', hasBucket: true, now: () => 2000 });

  const told = await Promise.all(Array.from({ length: 1 }, () => away.of(ended, whole())));
  const again = await away.of(ended, whole());

  expect(told[0]).toMatchObject({
    state: 'complete',
    playable: false,
    bytes: 900,
    reason: 'the bucket of recordings does not answer: connect ECONNREFUSED 127.0.0.1:9',
  });
  expect(again).toEqual(told[0]);
  // The first answers for those after it: a page would wait once for each otherwise.
  expect(open).toHaveBeenCalledTimes(1);
});

test('what another gateway keeps in its own folder is there, and does not play from here', async () => {
  const told = await states.with(ended, whole(), undefined);

  expect(told).toMatchObject({ state: 'complete', playable: false, bytes: 900 });
  expect(told.reason).toContain('another gateway of this cluster keeps it');
});

test('of one that should be in the bucket, or in our own folder, it is told that it is missing', async () => {
  const shared = createRecordingStates({ store: NO_STORE, keys: [], place: 'here', hasBucket: true, now: () => 2000 });
  const mine = whole({ mark: { end: 900, hash: 'ab', place: 'here' } });

  expect(await shared.with(ended, whole(), undefined)).toMatchObject({ state: 'missing' });
  expect(await shared.with(ended, whole({ gap: 'not_uploaded' }), undefined)).toMatchObject({
    state: 'complete',
    reason: expect.stringContaining('not uploaded it yet'),
  });
  expect(await states.with(ended, mine, undefined)).toMatchObject({
    state: 'missing',
    reason: 'its file is not there',
  });
});
