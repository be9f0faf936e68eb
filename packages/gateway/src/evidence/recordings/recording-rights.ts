/** Who may know of recordings and watch them: by role alone, asked for each session. */
import type { Action } from '../../access/action.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { ruledSession } from '../../sessions/host/session-rights.ts';
import type { Session } from '../../sessions/host/session-store.ts';

/** `list`: that there is one. `read`: what is in it. */
export function mayRecording(
  access: Pick<AccessControl, 'decide'>,
  actor: Actor,
  session: Session,
  verb: 'list' | 'read',
): boolean {
  // Otherwise who is kept from a frozen session would follow it here.
  if (verb === 'read' && session.frozen && !session.ended && isIn(session, actor)) return false;
  return access.decide(actor, onRecording(session, verb)).allowed;
}

function isIn({ user, participants }: Session, { username }: Actor): boolean {
  return user === username || participants.includes(username);
}

export function onRecording(session: Session, verb: 'list' | 'read'): Action {
  return { type: 'verb', resource: 'session', verb, object: { kind: 'session', session: ruledSession(session) } };
}
