/** How many upgrades may be under way that nobody has proved anything for, in all and from one address; a few more wait in line. */

import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';

/** A thousand agents that lost the gateway at the same moment pass through these within seconds. */
export interface SlotLimits {
  total: number;
  perAddress: number;
  /** Those in line: turned away they would come again, later and all the same. */
  waiting: number;
  waitingPerAddress: number;
  /** Less than agents wait for an answer. */
  waitMs: number;
}
export const SLOT_LIMITS: SlotLimits = {
  total: 256,
  perAddress: 64,
  waiting: 4_000,
  waitingPerAddress: 1_000,
  waitMs: 4_000,
};

export interface HandshakeSlots {
  /** Gives back how to let go. Throws `unavailable` when none becomes free in time. */
  take(address: string): Promise<() => void>;
  readonly taken: number;
  readonly inLine: number;
}

interface Waiter {
  key: string;
  go(): void;
}

export function createHandshakeSlots(limits: SlotLimits = SLOT_LIMITS): HandshakeSlots {
  const taken = new Map<string, number>();
  const inLine = new Map<string, number>();
  /** In the order they came. */
  const line = new Set<Waiter>();
  let total = 0;

  const isFree = (key: string) => total < limits.total && (taken.get(key) ?? 0) < limits.perAddress;

  function occupy(key: string): () => void {
    total += 1;
    count(taken, key, 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      total -= 1;
      count(taken, key, -1);
      // Whoever came first and may: one address with all its places taken does not hold up the others.
      for (const waiter of line) {
        if (total >= limits.total) return;
        if (!isFree(waiter.key)) continue;
        waiter.go();
        return;
      }
    };
  }

  return {
    get taken() {
      return total;
    },
    get inLine() {
      return line.size;
    },
    async take(address) {
      const key = clientKey(address);
      if (isFree(key)) return occupy(key);
      if (line.size >= limits.waiting || (inLine.get(key) ?? 0) >= limits.waitingPerAddress) throw tooMany();
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
        const timer = setTimeout(() => {
          leave();
          reject(tooMany());
        }, limits.waitMs).unref();
        line.add(waiter);
        count(inLine, key, 1);
      });
    },
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

function tooMany(): AppError {
  return new AppError('unavailable', 'too many agents are connecting at once: try again in a moment');
}
