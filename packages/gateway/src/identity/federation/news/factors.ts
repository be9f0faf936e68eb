/** Second factors that a leaf wants: asked for and checked where the devices are. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { Who } from '../../../platform/http/actor.ts';

export interface Factors {
  ask(who: Who): Promise<AuthenticateChallenge>;
  /** Throws why it was not taken. */
  prove(who: Who, answer: FactorAnswer): Promise<void>;
}
