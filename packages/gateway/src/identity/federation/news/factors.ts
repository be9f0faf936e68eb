/** Second factors that a leaf wants: asked for and checked where the devices are. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { Who } from '../../../platform/http/actor.ts';

/** At the leaf: its root is asked. */
export interface Factors {
  ask(who: Who): Promise<AuthenticateChallenge>;
  /** Throws why it was not taken. */
  prove(who: Who, answer: FactorAnswer): Promise<void>;
}

/** At the root: a challenge that one leaf asked for is answered through no other. */
export interface OwnFactors {
  ask(who: Who, leafId: string): Promise<AuthenticateChallenge>;
  /** Throws why it was not taken. */
  prove(who: Who, answer: FactorAnswer, leafId: string): Promise<void>;
}
