/** Tells that somebody has come to a desktop with the login of somebody else, whose session the host then ended: hosts of RDP have one of each login. */
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import type { DesktopSession } from './desktop-session.ts';

/** A host lets go of the one as it lets the other in; what ends later ends by itself. */
export const TAKEN_WITHIN_MS = 30_000;
const BY_ITSELF: readonly SessionEnd['cause'][] = ['exited', 'target_lost'];

type Running = Pick<DesktopSession, 'protocol'> & { hosted: Pick<DesktopSession['hosted'], 'session' | 'end'> };

/** Whoever took over from one that is over now. Undefined: nobody. */
export function whoTookOver(over: Running, others: Iterable<Running>, now: number): Session | undefined {
  const { session, end } = over.hosted;
  if (over.protocol !== 'rdp' || !end || !BY_ITSELF.includes(end.cause)) return undefined;
  const target = placeOf(session);
  const came = [...others].filter(
    ({ hosted }) =>
      hosted.session.user !== session.user &&
      !hosted.end &&
      placeOf(hosted.session) === target &&
      hosted.session.created >= session.created &&
      now - hosted.session.created <= TAKEN_WITHIN_MS,
  );
  return came.at(-1)?.hosted.session;
}

function placeOf({ action }: Session): string {
  return JSON.stringify([action.resource.id, action.kind === 'desktop' ? action.login.toLowerCase() : '']);
}
