/** Leaves word in this browser that its sign-in is over, for a gateway that is not there to hear it: the next page it gives out ends it. */
import { ENDED_OF_ANYBODY as ANYBODY, ENDED_COOKIE } from '@gatehouse/contract/console/page-tags';

/** As long as a sign-in can last. */
const LIFE_S = 12 * 3600;

/** `user`: whose sign-in it was, so that nobody's ends who signs in here next; unknown of one from before it was told. */
export function markEnded(page: Pick<Document, 'cookie' | 'location'>, user: string | undefined): void {
  const isSecure = page.location.protocol === 'https:';
  const name = isSecure ? `__Host-${ENDED_COOKIE}` : ENDED_COOKIE;
  page.cookie = `${name}=${user === undefined ? ANYBODY : encodeURIComponent(user)}; Path=/; Max-Age=${LIFE_S}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}
