/** Works off in one go what was asked for within a moment, one round at a time; a round that fails comes again. */
export interface Rounds {
  /** Something is to be done: a round begins that has not begun yet. */
  soon(): void;
  /** Resolves when what was asked for before has been worked off, or has failed. */
  settled(): Promise<void>;
  close(): void;
}

interface RoundsOptions {
  /** What comes within so long is one round. */
  settleMs: number;
  /** After a round that failed. */
  retryMs: number;
  work(): Promise<void>;
  failed(error: unknown): void;
}

export function createRounds({ settleMs, retryMs, work, failed }: RoundsOptions): Rounds {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  let isClosed = false;

  const begin = () => {
    timer = undefined;
    running = work().then(
      () => over(settleMs, isAskedAgain),
      (error: unknown) => {
        failed(error);
        over(retryMs, true);
      },
    );
  };
  const over = (waitMs: number, again: boolean) => {
    running = undefined;
    isAskedAgain = false;
    if (again && !isClosed) timer = setTimeout(begin, waitMs).unref();
  };
  return {
    soon() {
      if (isClosed || timer) return;
      if (running) isAskedAgain = true;
      else timer = setTimeout(begin, settleMs).unref();
    },
    async settled() {
      while (!isClosed && timer) await new Promise((resolve) => setTimeout(resolve, settleMs));
      await running;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
