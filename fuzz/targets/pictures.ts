/** Hosts that lie to what draws: RemoteFX as pages, players and the gateway's process for pictures draw it, VNC as recordings are drawn, and what those who come later are told. */
import { Worker } from 'node:worker_threads';
import type { Drawn } from '../pictures/picture-thread.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const ROUNDS = 20;
/** A thread that draws without end says nothing any more; one that waits for a machine that is busy does, later. */
const PATIENCE_MS = 120_000;

export const pictures: FuzzTarget = {
  name: 'pictures',
  what: 'messages',
  secure: false,
  throwers: 1,
  async prepare() {
    const thread = new Worker(new URL('../pictures/picture-thread.ts', import.meta.url));
    return {
      throwOnce: (random) => draw(thread, random),
      close: async () => void (await thread.terminate()),
    };
  },
};

function draw(thread: Worker, random: Random): Promise<number> {
  const seed = random.below(2 ** 32);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`pictures from seed ${seed} on are drawn without end`)),
      PATIENCE_MS,
    );
    thread.once('message', ({ thrown, problem }: Drawn) => {
      clearTimeout(timer);
      if (problem) reject(new Error(problem));
      else resolve(thrown);
    });
    thread.postMessage({ seed, rounds: ROUNDS });
  });
}
