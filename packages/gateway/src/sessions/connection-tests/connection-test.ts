/** What a kind is told of a test of the way to one of its resources. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { ReadDraft } from './draft-test.ts';
import type { Steps } from './take-steps.ts';

export interface ConnectionTest {
  actor: Actor;
  /** As the kind's `find` takes it. */
  wanted: string;
  /** Whom to become there, by the names of the kind's row. Those without which nobody connects are there. */
  names: Readonly<Record<string, string>>;
  /** All that the call said, for what only this kind asks. */
  given: Readonly<Record<string, unknown>>;
  /** Names the test in logs of agents and servers. */
  session: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Undefined: no answer came along. Throws why it was not taken. */
  proveFactor: (() => Promise<void>) | undefined;
  /** What it is about is known; what follows is about it. */
  onFound(resource: Resource): void;
}

/** What tests ask of the kinds. */
export type TestedKinds = {
  readonly [K in Kind]: {
    /** By what people call it. Throws `not_found`, alike for what is not there and what is not seen. */
    find(actor: Actor, wanted: string): Promise<Resource>;
    /** A kind without it cannot be tested. */
    test?(steps: Steps, test: ConnectionTest): Promise<void>;
    draft?: ReadDraft;
  };
};
