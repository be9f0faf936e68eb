/** Asks the victim ten times a second whether it is there, from a thread that throws nothing, and remembers the longest silence. */
import { Worker } from 'node:worker_threads';

export interface Watched {
  /** Longest time without an answer, less what this machine kept the gateway or the watcher waiting for a core. */
  longestMs: number;
  answered: number;
}

export interface Watcher {
  /** Since the last time it was asked. */
  look(): Promise<Watched>;
  stop(): Promise<void>;
}

export function watch({ diagPort, pid }: { diagPort: number; pid: number }): Watcher {
  const thread = new Worker(new URL('./watcher-thread.ts', import.meta.url), { workerData: { port: diagPort, pid } });
  const questions: ((watched: Watched) => void)[] = [];
  thread.on('message', (watched: Watched) => questions.shift()?.(watched));
  return {
    look: () =>
      new Promise((resolve) => {
        questions.push(resolve);
        thread.postMessage('look');
      }),
    async stop() {
      await thread.terminate();
    },
  };
}
