/** Shows out who is in a session from another address than their sign-in is tied to; without its owner, the session is over. */

import type { AccessControl } from '../../access/create-access.ts';
import { isElsewhere, isPinned, OTHER_ADDRESS, somebodyPins } from '../../identity/sign-in/tied-address.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { HostedSession, Participant } from './hosted-session.ts';
import type { Owned } from './owners.ts';
import type { SessionEnd } from './session-store.ts';

type OwnerOf = (owned: Owned) => Actor | undefined;
type Pins = Pick<AccessControl, 'of' | 'role' | 'roleNames'>;

const ELSEWHERE: SessionEnd = { cause: 'denied', message: OTHER_ADDRESS };

/** The sign-ins whose address matters; mostly none. */
export function tiedSignIns(access: Pins, sessions: readonly HostedSession[], ownerOf: OwnerOf): string[] {
  if (!somebodyPins(access)) return [];
  return sessions.flatMap(({ participants }) =>
    [...participants.values()].filter((who) => isPinnedHere(access, who, ownerOf)).map(({ signInId }) => signInId),
  );
}

export function leaveElsewhere(
  access: Pins,
  hosted: HostedSession,
  ownerOf: OwnerOf,
  signIns: ReadonlyMap<string, { tiedTo: string | undefined }>,
): void {
  for (const who of [...hosted.participants.values()]) {
    const { id, username, signInId, address } = who;
    const signIn = signIns.get(signInId);
    if (!signIn || !isElsewhere(signIn, address) || !isPinnedHere(access, who, ownerOf)) continue;
    const others = [...hosted.participants.values()].filter((other) => other.id !== id && other.username === username);
    // Whoever opened it elsewhere must not find it again there, nor leave it running for nobody.
    if (username === hosted.session.user && others.length === 0) hosted.finish(ELSEWHERE);
    else hosted.remove(who, ELSEWHERE);
    if (hosted.end) return;
  }
}

function isPinnedHere(access: Pins, { username, signInId }: Participant, ownerOf: OwnerOf): boolean {
  const person = ownerOf({ user: username, signInId });
  return person !== undefined && isPinned(access, person);
}
