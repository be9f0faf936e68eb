/** What is the same for every page on a session, whatever it shows: how it is refused, and what becomes of the session when it is closed. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { Caller } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import { storeFailure } from '../platform/storage/store-failure.ts';
import { UNPROVEN } from './host/admit.ts';
import type { HostedSession } from './host/hosted-session.ts';
import type { Joiner } from './host/require-join.ts';
import type { SessionHost } from './host/session-host.ts';

export interface Refusal {
  code: string;
  message: string;
  /** What to do about it belongs to the sentence: there is only one line to show. */
  next?: string;
}

/** `unknown`: it is a mistake of ours, and its log says more. */
export function refusalOf(given: unknown, unknown: (error: unknown) => void): Refusal {
  const error = storeFailure(given) ?? given;
  if (!(error instanceof AppError)) {
    unknown(error);
    return { code: 'internal', message: 'the gateway failed; its log says why' };
  }
  const next = error.fields?.next;
  return { code: error.code, message: error.message, ...(typeof next === 'string' && next !== '' ? { next } : {}) };
}

export interface ClosedPage {
  caller: Caller;
  hosted: HostedSession | undefined;
  /** Of the page among the people of the session. */
  id: string;
  mode: ParticipantMode | undefined;
  reason: string | undefined;
  /** Throws: who moderated when they came need not any more. */
  asModerator(joiner: Joiner, sid: string): unknown;
  host: Pick<SessionHost, 'endBy'>;
}

/** Its owner ends the session with it, and so does a moderator, saying why. False: only the page goes. */
export async function endWithPage({
  caller,
  hosted,
  id,
  mode,
  reason,
  asModerator,
  host,
}: ClosedPage): Promise<boolean> {
  if (!hosted) return false;
  const { session } = hosted;
  if (session.user === caller.username && mode !== 'observer') {
    hosted.finish({ cause: 'closed', message: 'you closed it' });
    return true;
  }
  if (mode !== 'moderator') return false;
  await asModerator({ caller, proveFactor: async () => requireProven(hosted, id) }, session.id);
  await host.endBy(caller, session, reason);
  return true;
}

/** What they proved when they came counts for as long as they are there; nobody is asked again while they leave. */
export function requireProven(hosted: HostedSession, id: string): void {
  if (!hosted.participants.get(id)?.mfa) throw new AppError('mfa_required', UNPROVEN);
}
