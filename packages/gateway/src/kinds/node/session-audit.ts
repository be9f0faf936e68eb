/** What the audit log is told of sessions with servers. */
import { sessionEnded, sessionStarted } from '@gatehouse/contract/audit/session-events';
import type { Audit } from '../../platform/audit/emit.ts';
import { aboutSession, contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionTeller } from '../../sessions/host/session-teller.ts';

export function nodeSessionTeller(audit: Audit): SessionTeller {
  return {
    async started(tx, session) {
      const { size, interactive } = session;
      const fields = {
        ...aboutSession(session),
        size: `${size.cols}:${size.rows}`,
        session_recording: recording(session),
        interactive,
        ...commandOf(session),
      };
      await audit.emit(tx, sessionStarted, fields, contextOf(session));
    },

    async ended(tx, session, { message, now }) {
      const fields = {
        ...aboutSession(session),
        enhanced_recording: false,
        interactive: session.interactive,
        ...commandOf(session),
        participants: session.participants,
        session_start: new Date(session.created).toISOString(),
        session_stop: new Date(now).toISOString(),
        session_recording: recording(session),
        reason: message,
      };
      await audit.emit(tx, sessionEnded, fields, contextOf(session));
    },
  };
}

function commandOf({ command }: Session) {
  return command === undefined ? {} : { initial_command: [command] };
}

function recording({ recorded }: Session): string {
  return recorded ? 'gateway' : 'off';
}
