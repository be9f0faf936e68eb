/** What somebody may do to sessions that are open: one's own always, others' by role. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { PARTICIPANT_MODES, type ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { type Action, loginsIn, type RuledSession } from '../../access/action.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Session } from './session-store.ts';

type Access = Pick<AccessControl, 'decide'>;
type JoinAccess = Pick<AccessControl, 'decide' | 'rolesNow'>;
/** The owner with the roles on their record now, expired or not; nobody's, when the user is no more. */
type Owner = Pick<Actor, 'roles'> | undefined;

export function mayTouch(access: Access, actor: Actor, session: Session, verb: 'list' | 'delete'): boolean {
  return isOwn(actor, session) || access.decide(actor, onSession(session, verb)).allowed;
}

/** A token that may do less than its owner does what it names: that a session is its owner's gives it nothing. */
export function isOwn({ username, isNarrowed }: Actor, session: Session): boolean {
  return session.user === username && !isNarrowed;
}

/** Who may not see a session hears nothing of it. Who may join it, in whatever way, sees it. */
export function maySee(access: JoinAccess, actor: Actor, session: Session, owner: Owner): boolean {
  return mayTouch(access, actor, session, 'list') || joinModes(access, actor, session, owner).length > 0;
}

/** How somebody may come in; one's own session as one who types or only looks. */
export function joinModes(access: JoinAccess, actor: Actor, session: Session, owner: Owner): ParticipantMode[] {
  if (isOwn(actor, session)) return ['observer', 'peer'];
  return PARTICIPANT_MODES.filter((mode) => access.decide(actor, joining(access, session, owner, mode)).allowed);
}

export function joining(
  access: Pick<AccessControl, 'rolesNow'>,
  { action }: Pick<Session, 'action'>,
  owner: Owner,
  mode: ParticipantMode,
): Action {
  return {
    type: 'join',
    session: { kind: factsOf(action.kind).sessionKind, ownerRoles: access.rolesNow(owner?.roles ?? []) },
    mode,
  };
}

export function onSession(session: Session, verb: 'list' | 'delete'): Action {
  return {
    type: 'verb',
    resource: 'ssh_session',
    verb,
    object: { kind: 'ssh_session', session: ruledSession(session) },
  };
}

/** What conditions of roles know of a session, open or recorded, whatever it is with. */
export function ruledSession({ action, user, participants }: Session): RuledSession {
  const [login] = loginsIn(action);
  return {
    kind: factsOf(action.kind).sessionKind,
    user,
    participants,
    serverLabels: action.resource.labels,
    ...(login === undefined ? {} : { login }),
  };
}
