/** What a provider has proven in the browser that began, and what it was asked for. */
import type { Assertion, OpenConnector } from '../providers/provider.ts';
import type { Attempt, KeptAttempt } from './attempt-store.ts';

export interface Proof {
  attempt: Attempt;
  kept: KeptAttempt;
  assertion: Assertion;
  connector: OpenConnector;
}
