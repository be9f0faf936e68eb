/** How many upgrades may be under way that nobody has proved anything for, in all and from one address; a few more wait in line. */
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { createSemaphore, type Semaphore } from '../../platform/std/semaphore.ts';

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

export interface HandshakeSlots extends Pick<Semaphore, 'taken' | 'inLine'> {
  /** Gives back how to let go. Throws `unavailable` when none becomes free in time. */
  take(address: string): Promise<() => void>;
}

export function createHandshakeSlots(limits: SlotLimits = SLOT_LIMITS): HandshakeSlots {
  const { perAddress, waitingPerAddress, ...shared } = limits;
  const slots = createSemaphore({
    ...shared,
    perKey: perAddress,
    waitingPerKey: waitingPerAddress,
    refuse: () => new AppError('unavailable', 'too many agents are connecting at once: try again in a moment'),
  });
  return {
    get taken() {
      return slots.taken;
    },
    get inLine() {
      return slots.inLine;
    },
    take: (address) => slots.take(clientKey(address)),
  };
}
