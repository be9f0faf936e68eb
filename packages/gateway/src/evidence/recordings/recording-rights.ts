/** Who may know of recordings and watch them: by role alone, asked for each session. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import type { Action } from '../../access/action.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
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

export function onRecording({ action, user, participants }: Session, verb: 'list' | 'read'): Action {
  const session = {
    kind: KINDS[action.kind].sessionKind,
    user,
    participants,
    serverLabels: action.resource.labels,
    ...(action.kind === 'node' ? { login: action.login } : {}),
  };
  return { type: 'verb', resource: 'session', verb, object: { kind: 'session', session } };
}
