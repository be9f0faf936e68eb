/** Whether what somebody writes in databases waits for somebody else's approval. */
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';

export function mustAsk(access: Pick<AccessControl, 'of'>, actor: Actor): boolean {
  return !actor.isOwner && sessionOptions(access.of(actor)).dbApproval;
}
