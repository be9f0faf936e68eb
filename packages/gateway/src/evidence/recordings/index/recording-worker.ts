/** A thread that plays recordings: what is slow or hostile in them holds up nothing else. One job after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { stepBack } from '../../../platform/threads/step-back.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { indexRecording } from './index-recording.ts';
import { packBlock } from './line-blocks.ts';
import { decodeIndex, encodeIndex } from './recording-index.ts';
import { screenAt } from './screen-at.ts';
import type { FromThread, IndexJob, Job, JobResults, ToThread } from './thread-messages.ts';

const STEPS_BACK = 10;

const port = parentPort!;
const reads = new Map<number, { resolve(bytes: Buffer): void; reject(error: Error): void }>();
const kept = new Map<number, () => void>();
let lastCall = 0;
let busy: Promise<void> = Promise.resolve();

// On Linux a priority is a thread's own; elsewhere it would slow the whole gateway down.
if (workerData?.background && process.platform === 'linux') stepBack(STEPS_BACK);

port.on('message', (message: ToThread) => {
  // Of the thread alone.
  if (message === 'close') process.exit(0);
  switch (message.type) {
    case 'job':
      busy = busy.then(() => run(message.id, message.job, message.bytes));
      return;
    case 'bytes':
      reads
        .get(message.call)
        ?.resolve(Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.length));
      reads.delete(message.call);
      return;
    case 'lost':
      reads.get(message.call)?.reject(new Error(message.error));
      reads.delete(message.call);
      return;
    case 'kept':
      kept.get(message.id)?.();
      kept.delete(message.id);
      return;
    default:
      // Under `node --watch` the runtime sends notices of its own through the same port.
      message satisfies never;
  }
});

async function run(id: number, job: Job, bytes: number): Promise<void> {
  try {
    tell({ type: 'done', id, result: await work(id, job, sourceFor(id, bytes)) });
  } catch (error) {
    tell({ type: 'failed', id, error: errorMessage(error) });
  }
}

async function work(id: number, job: Job, source: RecordingSource): Promise<JobResults[Job['type']]> {
  switch (job.type) {
    case 'index':
      return await index(id, job, source);
    case 'screen': {
      const { keyframe, ms, use } = job;
      const keyframes = keyframe ? [{ ...keyframe, forced: false, packed: Buffer.from(keyframe.packed) }] : [];
      return await screenAt({ source, index: { keyframes }, ms, use });
    }
    default:
      return job satisfies never;
  }
}

async function index(id: number, { previous, running }: IndexJob, source: RecordingSource): Promise<undefined> {
  const known = previous && decodeIndex(Buffer.from(previous));
  await indexRecording({
    source,
    previous: known,
    running,
    async onCheckpoint(made, fresh) {
      const { at, complete, linesComplete, durationMs } = made;
      // In memory of its own, so that it travels without a copy.
      const file = new Uint8Array(encodeIndex(made));
      const checkpoint = {
        file,
        fresh: fresh.map(packBlock),
        firstBlock: made.blocks - fresh.length,
        at,
        blocks: made.blocks,
        complete,
        linesComplete,
        durationMs,
      };
      const isKept = new Promise<void>((resolve) => kept.set(id, resolve));
      tell({ type: 'checkpoint', id, checkpoint }, [file.buffer]);
      await isKept;
    },
  });
}

function sourceFor(id: number, bytes: number): RecordingSource {
  return {
    bytes,
    read: (from, length) =>
      new Promise((resolve, reject) => {
        lastCall += 1;
        reads.set(lastCall, { resolve, reject });
        tell({ type: 'read', id, call: lastCall, from, length });
      }),
    close: async () => {},
  };
}

function tell(message: FromThread, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}
