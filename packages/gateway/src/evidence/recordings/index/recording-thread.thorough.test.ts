import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
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

test('it leaves by itself, also in the middle of a job: ended from outside while it packs, it would take the process with it', async () => {
  const exits: number[] = [];
  const { emit } = Worker.prototype;
  const spy = vi.spyOn(Worker.prototype, 'emit').mockImplementation(function (this: Worker, ...args) {
    if (args[0] === 'exit') exits.push(args[1] as number);
    return emit.apply(this, args);
  });
  newThread(20_000);
  const begun = Promise.withResolvers<void>();
  const never: RecordingSource = {
    ...source,
    read() {
      begun.resolve();
      return new Promise(() => {});
    },
  };
  const running = thread.run(job, never).catch(() => 'over');
  await begun.promise;
  await thread.close();
  spy.mockRestore();

  expect(await running).toBe('over');
  // One that is ended from outside leaves with 1.
  expect(exits).toEqual([0]);
});
