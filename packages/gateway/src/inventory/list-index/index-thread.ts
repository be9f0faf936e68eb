/** The gateway's end of the way to the thread that holds resources in memory. */
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../platform/std/worker-url.ts';
import { WorkerCalls } from '../../platform/threads/worker-calls.ts';
import type { FoundPage } from '../list-plan.ts';
import type { IndexMessage, IndexReply, IndexRequest } from './index-requests.ts';

export interface IndexThread {
  /** Rejects when the thread has ended, or cannot do it. */
  ask(request: IndexRequest): Promise<FoundPage | undefined>;
  readonly ended: boolean;
  close(): Promise<void>;
}

/** Some hundred bytes a resource; a thread that needs more than this is wrong, and must not take the gateway's memory. */
const MAX_MEGABYTES = 2_048;

export function startIndexThread(): IndexThread {
  const worker = new Worker(workerUrl('list-index-worker', import.meta.url), {
    name: 'list-index',
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  worker.unref();
  const calls = new WorkerCalls<FoundPage | undefined>();
  let end: Error | undefined;
  const fail = (error: Error) => {
    end ??= error;
    calls.rejectAll(end);
  };
  worker.on('message', (reply: IndexReply) => {
    if ('error' in reply) calls.reject(reply.number, new Error(reply.error));
    else calls.resolve(reply.number, reply.found);
  });
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      fail(new Error(`the thread that holds resources ended with ${code}`));
      resolve();
    });
  });
  return {
    get ended() {
      return end !== undefined;
    },
    async ask(request) {
      if (end) throw end;
      return await calls.call((number) => worker.postMessage({ ...request, number } satisfies IndexMessage));
    },
    async close() {
      // A process with nothing else to do would end before the thread, and look as if it hung.
      worker.ref();
      worker.postMessage('close');
      await exited;
    },
  };
}
