/** Of two tabs that began a sign-in, the second to come back finds its browser signed in: by the first, as the same person. */
import type { Exchange } from '../../../../platform/http/call.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import type { Assertion } from '../../providers/provider.ts';
import { type Attempt, hasFinishedAs } from '../../stores/attempt-store.ts';
import { browserOf } from './begin-attempt.ts';

/**
 * Whether nothing is left to do for this answer. The cookie of the beginning is gone with the first tab, so that somebody else's answer
 * cannot be told from one of this browser by it: asked is whether the same browser began both, and whether the sign-in it holds now is of
 * the very person that the answer is about. Nothing is begun or changed by it.
 */
export async function isDoneByOtherTab(
  { db, byCookie }: Pick<ConnectorDeps, 'db' | 'byCookie'>,
  { attempt, assertion, exchange }: { attempt: Attempt; assertion: Assertion; exchange: Exchange },
): Promise<boolean> {
  if (attempt.purpose !== 'browser' || browserOf(exchange) === attempt.browserHash) return false;
  const used = { address: exchange.address, door: 'page' };
  const live = await byCookie(exchange.cookie('session'), used).catch(elsewhere);
  const { connector, subject } = live?.signIn.through ?? {};
  if (connector !== attempt.connector || subject !== assertion.subject) return false;
  return await hasFinishedAs(db, attempt);
}

function elsewhere(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
