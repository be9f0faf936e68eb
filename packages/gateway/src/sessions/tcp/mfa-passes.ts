/** Second factors that were given for something that programs dial: one serves all connections of one command line for a while. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';

/** Whoever steals it needs the credential of the sign-in as well. */
export interface PassHolder {
  signIn: string;
  /** What it was given for. */
  kind: Kind;
  name: string;
}

export interface MfaPasses {
  give(holder: PassHolder): string;
  isGood(pass: string, holder: PassHolder): boolean;
}

const PASS_MS = 60 * 60_000;
const PASS = /^[0-9a-f]{64}$/;
const MAX_PASSES = 10_000;

/** Kept by this gateway alone: behind another one of the same cluster the factor is asked for again. */
export function createMfaPasses(now: () => number): MfaPasses {
  const given = new Map<string, PassHolder & { until: number }>();
  const sweep = () => {
    for (const [hash, { until }] of given) {
      // They stand in the order of their end.
      if (until > now() && given.size < MAX_PASSES) return;
      given.delete(hash);
    }
  };
  return {
    give(holder) {
      sweep();
      const pass = newToken();
      given.set(hashToken(pass), { ...holder, until: now() + PASS_MS });
      return pass;
    },
    isGood(pass, { signIn, kind, name }) {
      const held = PASS.test(pass) ? given.get(hashToken(pass)) : undefined;
      if (held === undefined || held.until <= now() || held.signIn !== signIn) return false;
      return held.kind === kind && held.name === name;
    },
  };
}
