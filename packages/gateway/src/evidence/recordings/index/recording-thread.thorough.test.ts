import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { buildRecording } from '../../../../testing/recordings/playback/build-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { RecordingThread } from './recording-thread.ts';

let thread: RecordingThread;
afterEach(() => thread.close());

const newThread = (silenceMs: number): void => {
  thread = new RecordingThread({ name: 'test', background: false, silenceMs, log: silentLog });
};

const bytes = buildRecording({ sid: randomUUID() }, [{ ms: 10, type: 'output', text: 'hello' }], testSigner());
const source: RecordingSource = {
  bytes: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
  close: async () => {},
};
const job = { type: 'screen', keyframe: undefined, ms: 1_000, use: 'look' } as const;

test('a thread that says nothing for too long is ended, and the next job gets a new one', async () => {
  newThread(8_000);
  const never: RecordingSource = { ...source, read: () => new Promise(() => {}) };

  await expect(thread.run(job, never)).rejects.toThrow('ended');
  expect((await thread.run(job, source)).screen).toMatchObject({ ms: 10, ansi: 'hello' });
});

test('a source that fails fails its own job only', async () => {
  newThread(20_000);
  const broken: RecordingSource = { ...source, read: () => Promise.reject(new Error('the bucket is down')) };

  const [failed, good] = await Promise.allSettled([thread.run(job, broken), thread.run(job, source)]);
  expect(failed).toMatchObject({ status: 'rejected' });
  expect(good).toMatchObject({ status: 'fulfilled' });
});
