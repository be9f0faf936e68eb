/** Lets so many be at something at once, in all and for each key, lets a bounded number wait in line, and refuses the rest. */

export interface SemaphoreLimits {
  total: number;
  perKey?: number;
  /** Nobody waits without it. */
  waiting?: number;
  waitingPerKey?: number;
  /** As long as it takes without it. */
  waitMs?: number;
  /** What whoever is turned away is told. */
  refuse(): Error;
}

export interface Semaphore {
  /** Gives back how to let go. Throws when there is no place, or none becomes free in time. */
  take(key?: string): Promise<() => void>;
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  readonly taken: number;
  readonly inLine: number;
}

interface Waiter {
  key: string;
  go(): void;
}

export function createSemaphore(limits: SemaphoreLimits): Semaphore {
  const { total, perKey = total, waiting = 0, waitingPerKey = waiting, waitMs, refuse } = limits;
  const taken = new Map<string, number>();
  const inLine = new Map<string, number>();
  /** In the order they came. */
  const line = new Set<Waiter>();
  let all = 0;

  const isFree = (key: string) => all < total && (taken.get(key) ?? 0) < perKey;

  function occupy(key: string): () => void {
    all += 1;
    count(taken, key, 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      all -= 1;
      count(taken, key, -1);
      handOver();
    };
  }

  /** At once: a newcomer that takes the place in between would make it one too many. */
  function handOver(): void {
    // Whoever came first and may: one key with all its places taken does not hold up the others.
    for (const waiter of line) {
      if (all >= total) return;
      if (!isFree(waiter.key)) continue;
      waiter.go();
      return;
    }
  }

  async function take(key = ''): Promise<() => void> {
    if (isFree(key)) return occupy(key);
    if (line.size >= waiting || (inLine.get(key) ?? 0) >= waitingPerKey) throw refuse();
    return await new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        line.delete(waiter);
        count(inLine, key, -1);
      };
      const waiter: Waiter = {
        key,
        go() {
          leave();
          resolve(occupy(key));
        },
      };
      const giveUp = () => {
        leave();
        reject(refuse());
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs).unref();
      line.add(waiter);
      count(inLine, key, 1);
    });
  }

  return {
    get taken() {
      return all;
    },
    get inLine() {
      return line.size;
    },
    take,
    async run(work, key) {
      const release = await take(key);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
