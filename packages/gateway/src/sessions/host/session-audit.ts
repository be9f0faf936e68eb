/** What the audit log is told of sessions, in the words of each kind of resource. */
import {
  accessDenied,
  clientDisconnected,
  sessionConnected,
  sessionData,
  sessionEndedByOther,
  sessionJoined,
  sessionLeft,
  sessionRejected,
  sessionResized,
} from '@gatehouse/contract/audit/session-events';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { commandExecuted, commandFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import type { EndCause } from '@gatehouse/contract/sessions/terminal-frames';
import { loginsIn } from '../../access/action.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Who } from '../../platform/http/actor.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { aboutSession, by, contextOf, reached } from './about-session.ts';
import type { Participant, Traffic } from './hosted-session.ts';
import type { Session, SessionAction, SessionEnd } from './session-store.ts';
import type { SessionTeller } from './session-teller.ts';
import type { Resize } from './tell-resizes.ts';

export interface SessionAudit {
  started(tx: Tx, session: Session): Promise<void>;
  connected(tx: Tx, session: Session): Promise<void>;
  resized(tx: Tx, session: Session, resize: Resize): Promise<void>;
  /** With everything of it that was still to be told. */
  ended(tx: Tx, session: Session, end: SessionEnd, last: LastWords & { now: number }): Promise<void>;
  /** The gateway shows one of its people out, and it goes on without them. */
  removed(tx: Tx, session: Session, who: Someone, why: SessionEnd): Promise<void>;
  joined(tx: Tx, session: Session, who: Someone & Pick<Participant, 'mfa'>): Promise<void>;
  left(tx: Tx, session: Session, who: Someone): Promise<void>;
  /** By somebody else than its owner. */
  endedBy(tx: Tx, session: Session, ender: Who, reason: string | undefined): Promise<void>;
  /** A limit of a role was reached. */
  rejected(tx: Tx, tried: Tried, limit: { reason: string; max: number }): Promise<void>;
  denied(tx: Tx, tried: Tried, refusal: { reason: string; requestId: string }): Promise<void>;
}

export interface LastWords {
  resize?: Resize | undefined;
  traffic?: Traffic | undefined;
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

/** Ends that the gateway brings about against who works there. What an administrator ends has an event of its own. */
const DISCONNECTS: ReadonlySet<EndCause> = new Set([
  'signed_out',
  'root_lost',
  'denied',
  'locked',
  'max_length',
  'idle',
  'unrecorded',
  'moderator_left',
  'gateway_stopping',
]);

type KindTellers = { readonly [K in Kind]?: { audit?: SessionTeller } };

export function createSessionAudit(audit: Audit, kinds: KindTellers): SessionAudit {
  const tellerOf = ({ action: { kind } }: Session): SessionTeller => {
    const teller = kinds[kind]?.audit;
    // Better no session than one that the log tells as another kind's.
    if (!teller) throw new Error(`no event tells of sessions of the kind '${kind}'`);
    return teller;
  };

  const about = (session: Session) => ({ ...aboutSession(session), ...tellerOf(session).about?.(session) });

  const resized: SessionAudit['resized'] = (tx, session, { cols, rows, by }) =>
    audit.emit(
      tx,
      sessionResized,
      { ...about(session), user: by, owner: session.user, size: `${cols}:${rows}` },
      contextOf(session),
    );

  /** Once it has ended, which tells how. */
  const ran = async (tx: Tx, session: Session, command: string, { exitCode, message }: SessionEnd) => {
    const fields = {
      ...about(session),
      command,
      ...(exitCode === undefined ? {} : { exitCode: String(exitCode) }),
    };
    if (exitCode === 0) await audit.emit(tx, commandExecuted, fields, contextOf(session));
    else await audit.emit(tx, commandFailed, { ...fields, exitError: message }, contextOf(session));
  };

  const disconnected = (
    tx: Tx,
    session: Session,
    who: Pick<Session, 'user' | 'address' | 'signInId'>,
    { message }: SessionEnd,
  ) => {
    const { user, address, signInId } = who;
    const fields = { ...about(session), ...by({ username: user, address }), reason: message };
    return audit.emit(tx, clientDisconnected, fields, { sessionId: session.id, signInId });
  };

  return {
    started: (tx, session) => tellerOf(session).started(tx, session),
    connected: (tx, session) => audit.emit(tx, sessionConnected, about(session), contextOf(session)),
    resized,
    async ended(tx, session, end, { now, resize, traffic }) {
      if (resize) await resized(tx, session, resize);
      if (traffic && session.connected !== undefined) {
        const passed = { tx: traffic.sent, rx: traffic.received };
        await audit.emit(tx, sessionData, { ...about(session), ...passed }, contextOf(session));
      }
      if (session.command !== undefined) await ran(tx, session, session.command, end);
      if (DISCONNECTS.has(end.cause)) await disconnected(tx, session, session, end);
      await tellerOf(session).ended(tx, session, { ...end, now });
    },
    removed: (tx, session, who, why) =>
      disconnected(tx, session, { user: who.username, address: who.address, signInId: who.signInId }, why),
    joined: (tx, session, who) =>
      audit.emit(
        tx,
        sessionJoined,
        // What its owner proved is no proof of theirs.
        { ...about({ ...session, mfa: who.mfa === true }), ...by(who), owner: session.user },
        { sessionId: session.id, signInId: who.signInId },
      ),
    left: (tx, session, who) =>
      audit.emit(
        tx,
        sessionLeft,
        { ...about(session), ...by(who), owner: session.user },
        { sessionId: session.id, signInId: who.signInId },
      ),
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
          resource_kind: action.kind,
          resource_name: action.resource.name,
          ...loginField(action),
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
          ...loginField(action),
          resource_kind: action.kind,
          resource_name: action.resource.name,
          denial: requestId,
          reason,
        },
        { signInId: caller.signInId },
      ),
  };
}

function loginField(action: SessionAction): { login?: string } {
  const [login] = loginsIn(action);
  return login === undefined ? {} : { login };
}
