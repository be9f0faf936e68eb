/** What a kind is told of a test of the way to something that is about to be added. */
import type { Actor } from '../../platform/http/actor.ts';
import type { Through } from '../../reach/reach.ts';
import type { Steps } from './take-steps.ts';

export interface DraftTest {
  actor: Actor;
  cluster: string;
  /** Undefined: whoever dials such a thing where nobody is named. */
  agent: string | undefined;
  who: { user: string; session: string };
  /** For each step. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Read, and not tried yet. */
export interface Draft {
  /** What rules call such things: who may create one of this name and labels may try it. */
  rule: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  /** Where it is, for the audit. */
  addr: string;
  /** As whom it is signed in to, for the audit; empty: as nobody. */
  login?: string;
  /** What must stand in no answer, whoever repeats it. */
  secrets: readonly string[];
  run(steps: Steps, test: DraftTest): Promise<void>;
}

/** Throws `bad_request`; nothing is dialled or looked up. */
export type ReadDraft = (spec: unknown) => Draft;

export function throughOf({ agent }: Pick<DraftTest, 'agent'>): Through {
  return agent === undefined ? 'gateway' : { agent };
}
