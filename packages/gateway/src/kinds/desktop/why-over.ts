/** Why the connection to a host is over, as its people should hear it: hosts of RDP have one session of each login and say nothing to whoever had it, and a lost agent looks like a lost host. */
import type { DesktopNote } from '../../sessions/desktop/desktop-recorder.ts';
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import { CLOSED_BY_HOST, type DesktopEnd } from './engine/desktop-link.ts';

/** A host lets go of the one as it lets the other in; what ends later ends by itself. */
export const TAKEN_WITHIN_MS = 30_000;

/** `note`: into its recording, which is still open. */
export type WhyOver = (end: DesktopEnd, note: (note: DesktopNote) => void) => SessionEnd;

interface Running {
  readonly protocol: 'rdp' | 'vnc';
  readonly hosted: { readonly session: Session; readonly end: SessionEnd | undefined };
}

export interface WhyOverDeps {
  others: () => Iterable<Running>;
  now: () => number;
  isConnected: (agent: string) => boolean;
  /** The id of the agent that dialled; none where the gateway did. */
  dialledBy: string;
  /** Somebody else has its desktop now. */
  onTaken: (came: Session) => void;
}

export function whyOver(over: Omit<Running, 'hosted'> & { session: Session }, deps: WhyOverDeps): WhyOver {
  const { session } = over;
  return (end, note) => {
    const came = whoTookOver(over, end, deps);
    if (came) {
      note({ kind: 'take-over', user: came.user });
      const isOwn = came.user === session.user;
      if (!isOwn) deps.onTaken(came);
      return { cause: 'taken_over', message: takenBy(isOwn ? undefined : came.user) };
    }
    if (end.told === 'taken_over') return { cause: 'taken_over', message: end.message };
    if (end.told === undefined && end.cause !== 'failed' && deps.dialledBy !== '' && !deps.isConnected(deps.dialledBy))
      return { cause: 'agent_lost', message: 'the connection to the agent that reaches this desktop was lost' };
    const isUnsaid = over.protocol === 'rdp' && end.told === undefined && end.message === CLOSED_BY_HOST;
    const message = isUnsaid
      ? `${end.message}, and did not say why; it does so where the login signs out`
      : end.message;
    return { cause: end.cause === 'closed' ? 'exited' : 'target_lost', message };
  };
}

function takenBy(user: string | undefined): string {
  const who = user === undefined ? 'you connected anew' : `${user} connected`;
  return `${who} with the same login, and the host has one session of each`;
}

/** Whoever took over from one that is over now; the same person as well, from another page. Undefined: nobody that is known here. */
function whoTookOver(
  { protocol, session }: Parameters<typeof whyOver>[0],
  { cause, told }: DesktopEnd,
  { others, now }: WhyOverDeps,
): Session | undefined {
  if (protocol !== 'rdp' || cause === 'failed' || told === 'reason') return undefined;
  const place = placeOf(session);
  const came = [...others()].filter(
    ({ hosted }) =>
      hosted.session.id !== session.id &&
      !hosted.end &&
      placeOf(hosted.session) === place &&
      hosted.session.created >= session.created &&
      now() - hosted.session.created <= TAKEN_WITHIN_MS,
  );
  return came.at(-1)?.hosted.session;
}

function placeOf({ action }: Session): string {
  return JSON.stringify([action.resource.id, action.kind === 'desktop' ? action.login.toLowerCase() : '']);
}
