/** What a target of the fuzzer is: a way to throw things at a running gateway. */
import type { Random } from './random.ts';
import type { Victim } from './victim.ts';

export interface Thrower {
  /** Throws once, and resolves with how many requests or frames that were; never rejects for what the gateway answers. */
  throwOnce(random: Random): Promise<number>;
  close(): Promise<void>;
}

export interface FuzzTarget {
  name: string;
  what: string;
  /** Whether it needs a gateway that speaks TLS. */
  secure: boolean;
  /** How many throw side by side. */
  throwers: number;
  prepare(victim: Victim, random: Random): Promise<Thrower>;
}
