/** What the end of a sign-in means for what was opened under it. */
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import type { SessionNature } from './session-parts.ts';
import type { SessionEnd } from './session-store.ts';

/** The sockets close; whoever signs in again finds the session. */
const KEEPS_SESSIONS: ReadonlySet<EndReason> = new Set(['inactive', 'expired']);

const WORDS: Record<EndReason, string> = {
  signed_out: 'you signed out',
  ended_by_user: 'you ended the sign-in it was opened under',
  ended_by_administrator: 'an administrator ended the sign-in it was opened under',
  inactive: 'you were signed out for inactivity',
  expired: 'the sign-in it was opened under has expired',
  credentials_reset: 'your credentials were reset',
  user_deleted: 'the user was deleted',
  ended_by_provider: 'your sign-in provider ended the sign-in it was opened under',
  other_address: 'your sign-in is tied to another address: sign in again',
  root_lost: 'your own cluster is not connected any more',
};

/** Ends that come with the clock, not with somebody's deed. */
export function runsOut(reason: EndReason): boolean {
  return KEEPS_SESSIONS.has(reason);
}

/** Whether a session of that nature is over with a sign-in that ended so. */
export function endsBy({ endsWithSignIn }: SessionNature, reason: EndReason): boolean {
  return endsWithSignIn === true || !KEEPS_SESSIONS.has(reason);
}

export function signedOut(reason: EndReason): SessionEnd {
  return { cause: reason === 'root_lost' ? 'root_lost' : 'signed_out', message: WORDS[reason] };
}
