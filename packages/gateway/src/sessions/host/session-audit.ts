/** What the audit log is told of sessions, in the words of each kind of resource. */
import {
  accessDenied,
  sessionEnded,
  sessionEndedByOther,
  sessionJoined,
  sessionLeft,
  sessionRejected,
  sessionStarted,
} from '@gatehouse/contract/audit/session-events';
import { nodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { Who } from '../../access/actor.ts';
import type { Audit } from '../../audit/emit.ts';
import type { EventContext } from '../../audit/event-draft.ts';
import type { Tx } from '../../storage/tables.ts';
import { tellAppEnded, tellAppStarted } from './app-session-audit.ts';
import type { Session, SessionAction, SessionEnd } from './session-store.ts';

export interface SessionAudit {
  started(tx: Tx, session: Session): Promise<void>;
  ended(tx: Tx, session: Session, end: SessionEnd, now: number): Promise<void>;
  joined(tx: Tx, session: Session, who: Someone): Promise<void>;
  left(tx: Tx, session: Session, who: Someone): Promise<void>;
  /** By somebody else than its owner. */
  endedBy(tx: Tx, session: Session, ender: Who, reason: string | undefined): Promise<void>;
  /** A limit of a role was reached. */
  rejected(tx: Tx, tried: Tried, limit: { reason: string; max: number }): Promise<void>;
  denied(tx: Tx, tried: Tried, refusal: { reason: string; requestId: string }): Promise<void>;
}

export interface Someone {
  username: string;
  signInId: string;
  address: string;
}

export interface Tried {
  caller: Who;
  action: SessionAction;
  address: string;
}

export function createSessionAudit(audit: Audit): SessionAudit {
  return {
    started: (tx, session) =>
      session.action.kind === 'app'
        ? tellAppStarted(audit, tx, session)
        : audit.emit(
            tx,
            sessionStarted,
            {
              ...about(session),
              size: `${session.size.cols}:${session.size.rows}`,
              session_recording: recording(session),
            },
            contextOf(session),
          ),
    ended: (tx, session, { message }, now) =>
      session.action.kind === 'app'
        ? tellAppEnded(audit, tx, session)
        : audit.emit(
            tx,
            sessionEnded,
            {
              ...about(session),
              enhanced_recording: false,
              interactive: true,
              participants: session.participants,
              session_start: new Date(session.created).toISOString(),
              session_stop: new Date(now).toISOString(),
              session_recording: recording(session),
              reason: message,
            },
            contextOf(session),
          ),
    joined: (tx, session, who) =>
      audit.emit(
        tx,
        sessionJoined,
        { ...about(session), ...by(who) },
        { sessionId: session.id, signInId: who.signInId },
      ),
    left: (tx, session, who) =>
      audit.emit(tx, sessionLeft, { ...about(session), ...by(who) }, { sessionId: session.id, signInId: who.signInId }),
    endedBy: (tx, { id, user, action }, ender, reason) =>
      audit.emit(
        tx,
        sessionEndedByOther,
        {
          user: ender.username,
          sid: id,
          name: user,
          server_id: action.resource.id,
          server_hostname: action.resource.name,
          ...(reason ? { reason } : {}),
        },
        { sessionId: id, signInId: ender.signInId },
      ),
    rejected: (tx, { caller, action, address }, limit) =>
      audit.emit(
        tx,
        sessionRejected,
        { ...reached(action), ...by({ username: caller.username, address }), ...limit },
        { signInId: caller.signInId },
      ),
    denied: (tx, { caller, action, address }, { reason, requestId }) =>
      audit.emit(
        tx,
        accessDenied,
        {
          ...by({ username: caller.username, address }),
          ...(action.kind === 'node' ? { login: action.login } : {}),
          resource_kind: action.kind,
          resource_name: action.resource.name,
          denial: requestId,
          reason,
        },
        { signInId: caller.signInId },
      ),
  };
}

function about(session: Session) {
  return {
    ...reached(session.action),
    ...by({ username: session.user, address: session.address }),
    sid: session.id,
    ...(session.mfa ? { with_mfa: 'proven' } : {}),
  };
}

function by({ username, address }: Pick<Someone, 'username' | 'address'>) {
  return { user: username, 'addr.remote': address };
}

function reached(action: SessionAction) {
  const { resource } = action;
  const spec = nodeSpec.safeParse(resource.spec).data;
  return {
    namespace: 'default',
    server_id: resource.id,
    server_hostname: resource.name,
    server_labels: { ...resource.labels },
    ...(spec?.type === 'openssh' ? { server_addr: spec.addr } : {}),
    ...(action.kind === 'node' ? { login: action.login, proto: 'ssh' } : {}),
  };
}

function recording({ recorded }: Session): string {
  return recorded ? 'gateway' : 'off';
}

function contextOf({ id, signInId }: Session): EventContext {
  return { sessionId: id, signInId };
}
