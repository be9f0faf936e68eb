/** A thread that reads the log: searches and checks work here, and what they find leaves as finished bytes. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { openReadDb } from '../../../platform/storage/open-read-db.ts';
import { stepBack } from '../../../platform/threads/step-back.ts';
import { type LogReads, logReads } from './log-reads.ts';

export interface LogRequest {
  id: number;
  name: keyof LogReads;
  query: never;
}

export type LogAnswer = { id: number; result: unknown } | { id: number; error: string };

/** Of this thread alone, on Linux: whoever types at a terminal goes first when the processor is short. */
const STEPS_BACK = 10;
if (process.platform === 'linux') stepBack(STEPS_BACK);

const port = parentPort!;
const { db, close } = await openReadDb(workerData);
const reads = logReads(db);

port.on('message', async (request: LogRequest | 'close') => {
  if (request === 'close') {
    await close();
    port.close();
    return;
  }
  const { id, name, query } = request;
  try {
    const result = await reads[name](query);
    const bytes = result instanceof Uint8Array ? result : 'bytes' in result ? result.bytes : undefined;
    port.postMessage({ id, result } satisfies LogAnswer, bytes ? [bytes.buffer as ArrayBuffer] : []);
  } catch (error) {
    port.postMessage({ id, error: errorMessage(error) } satisfies LogAnswer);
  }
});
