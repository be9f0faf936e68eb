/** What the audit log is told of sessions with the sixth kind. */
import { defineEvent } from '@gatehouse/contract/events/define-event';
import { line } from '@gatehouse/contract/events/line';
import { z } from 'zod';
import type { Audit } from '../../src/platform/audit/emit.ts';
import type { SessionTeller } from '../../src/sessions/host/session-teller.ts';

const fields = { user: z.string(), sid: z.string(), printer_name: z.string() };
const about = { kind: 'printer', name: 'printer_name' } as const;

export const PRINT_STARTED = defineEvent({
  ...{ code: 'GH900I', event: 'print.session.start', label: 'Print Session Started', about, fields },
  tell: ({ user, printer_name }) => line`${user} prints on ${printer_name}`,
});
export const PRINT_ENDED = defineEvent({
  ...{ code: 'GH901I', event: 'print.session.end', label: 'Print Session Ended', about, fields },
  tell: ({ user, printer_name }) => line`${user} printed on ${printer_name}`,
});

export function printTeller(audit: Audit): SessionTeller {
  const told = ({ user, id, action }: Parameters<SessionTeller['started']>[1]) => ({
    user,
    sid: id,
    printer_name: action.resource.name,
  });
  return {
    started: (tx, session) => audit.emit(tx, PRINT_STARTED, told(session)),
    ended: (tx, session) => audit.emit(tx, PRINT_ENDED, told(session)),
  };
}
