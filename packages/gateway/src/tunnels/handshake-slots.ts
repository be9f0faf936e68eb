/** How many upgrades may be under way that nobody has proved anything for: in all, and from one address. */
import { addressKey } from '../std/address-key.ts';
import { AppError } from '../std/app-error.ts';

/** A thousand agents that lost the gateway at the same moment pass through these within seconds. */
export interface SlotLimits {
  total: number;
  perAddress: number;
}
export const SLOT_LIMITS: SlotLimits = { total: 512, perAddress: 128 };

export interface HandshakeSlots {
  /** Gives back how to let go. Throws `unavailable` when all are taken. */
  take(address: string): () => void;
  readonly taken: number;
  /** The most that were taken at once. */
  readonly peak: number;
}

export function createHandshakeSlots({ total, perAddress }: SlotLimits = SLOT_LIMITS): HandshakeSlots {
  const byAddress = new Map<string, number>();
  let taken = 0;
  let peak = 0;
  return {
    get taken() {
      return taken;
    },
    get peak() {
      return peak;
    },
    take(address) {
      const key = addressKey(address);
      const held = byAddress.get(key) ?? 0;
      if (taken >= total || held >= perAddress) {
        throw new AppError('unavailable', 'too many agents are connecting at once: try again in a moment');
      }
      taken += 1;
      peak = Math.max(peak, taken);
      byAddress.set(key, held + 1);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        taken -= 1;
        const left = (byAddress.get(key) ?? 1) - 1;
        if (left === 0) byAddress.delete(key);
        else byAddress.set(key, left);
      };
    },
  };
}
