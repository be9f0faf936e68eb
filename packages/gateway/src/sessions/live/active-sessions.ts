/** Open sessions as somebody is shown them: only those they may see, each with what they may do to it. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { mayEver } from '../../access/acl-of.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Owners } from '../host/owners.ts';
import type { SessionHost } from '../host/session-host.ts';
import { isOwn, joinModes, mayTouch } from '../host/session-rights.ts';
import type { Session } from '../host/session-store.ts';
import type { OpenSessions } from './open-sessions.ts';
import { type ShownSession, toRow } from './session-row.ts';

export interface ActiveSessionDeps {
  access: AccessControl;
  host: SessionHost;
  owners: Pick<Owners, 'roles'>;
  open: OpenSessions;
}

/** Oldest first. */
export async function listActive(deps: ActiveSessionDeps, actor: Actor): Promise<ShownSession[]> {
  const { access, host, owners, open } = deps;
  const sessions = await open.all();
  const rolesOf = await owners.roles(sessions.map(({ user }) => user));
  // From here on without a wait: all of it is decided by the roles of one moment.
  const [mayList, mayEnd] = [touching(access, actor, 'list'), touching(access, actor, 'delete')];
  const modesOf = joining(access, actor);
  const shown: ShownSession[] = [];
  for (const session of sessions) {
    const participantModes = modesOf(session, rolesOf(session.user));
    if (participantModes.length === 0 && !mayList(session)) continue;
    shown.push({ session, hosted: host.get(session.id), participantModes, mayEnd: mayEnd(session) });
  }
  return shown;
}

/** As the wire has it; undefined for who may not see it. */
export async function toActive(
  { access, host }: Pick<ActiveSessionDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
): Promise<ActiveSession | undefined> {
  const participantModes = joinModes(access, actor, session, await host.owner(session));
  if (participantModes.length === 0 && !mayTouch(access, actor, session, 'list')) return undefined;
  const mayEnd = mayTouch(access, actor, session, 'delete');
  return toRow({ session, hosted: host.get(session.id), participantModes, mayEnd });
}

/** Asked once for all of them, unless a condition tells them apart. */
function touching(access: AccessControl, actor: Actor, verb: 'list' | 'delete'): (session: Session) => boolean {
  if (access.decide(actor, { type: 'verb', resource: 'ssh_session', verb }).allowed) return () => true;
  if (!actor.isOwner && !mayEver(access.of(actor), 'ssh_session', verb)) return (session) => isOwn(actor, session);
  return (session) => mayTouch(access, actor, session, verb);
}

type Modes = (session: Session, roles: readonly string[] | undefined) => ParticipantMode[];

/** How somebody may join depends on the roles of the owner alone: most have the same. */
function joining(access: AccessControl, actor: Actor): Modes {
  const known = new Map<string, ParticipantMode[]>();
  return (session, roles = []) => {
    if (session.user === actor.username) return joinModes(access, actor, session, { roles });
    // No name of a role holds a line break.
    const key = `${session.action.kind}\n${roles.length === 1 ? roles[0] : roles.join('\n')}`;
    const modes = known.get(key) ?? joinModes(access, actor, session, { roles });
    known.set(key, modes);
    return modes;
  };
}
