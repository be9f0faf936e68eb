/** What somebody may do to sessions that are open: one's own always, others' by role. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import type { Action } from '../../access/action.ts';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Session } from './session-store.ts';

export function mayTouch(
  access: Pick<AccessControl, 'decide'>,
  actor: Actor,
  session: Session,
  verb: 'list' | 'delete',
): boolean {
  return session.user === actor.username || access.decide(actor, onSession(session, verb)).allowed;
}

export function onSession({ action, user, participants }: Session, verb: 'list' | 'delete'): Action {
  const session = {
    kind: KINDS[action.kind].sessionKind,
    user,
    participants,
    serverLabels: action.resource.labels,
    ...(action.kind === 'node' ? { login: action.login } : {}),
  };
  return { type: 'verb', resource: 'ssh_session', verb, object: { kind: 'ssh_session', session } };
}
