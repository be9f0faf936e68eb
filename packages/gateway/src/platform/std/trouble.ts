/** Tells of something that goes on failing: when it begins, once a minute while it lasts, and when it is over, with how often and how long. */
import type { Log } from './log.ts';

const AGAIN_MS = 60_000;

export interface Trouble {
  /** It failed once more; `reason` as it is told. */
  failed(reason: string): void;
  worked(): void;
  readonly isOn: boolean;
}

interface TroubleOptions {
  log: Pick<Log, 'error' | 'info'>;
  now: () => number;
  /** What is told of it, and of its end. */
  words: { begun: string; over: string };
}

export function createTrouble({ log, now, words }: TroubleOptions): Trouble {
  let since: number | undefined;
  let toldAt = 0;
  let times = 0;
  const seconds = () => Math.round((now() - (since ?? now())) / 1000);
  return {
    get isOn() {
      return since !== undefined;
    },
    failed(reason) {
      times += 1;
      if (since !== undefined && now() - toldAt < AGAIN_MS) return;
      toldAt = now();
      since ??= now();
      log.error({ reason, ...(times > 1 ? { times, seconds: seconds() } : {}) }, words.begun);
    },
    worked() {
      if (since === undefined) return;
      log.info({ times, seconds: seconds() }, words.over);
      since = undefined;
      times = 0;
    },
  };
}
