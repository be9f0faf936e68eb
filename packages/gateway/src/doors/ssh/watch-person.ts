/** Watches what somebody at the door stands on: their sign-in, and the certificate or key they came by. */
import { signedOut } from '../../sessions/host/signed-out.ts';
import type { SshDoorDeps } from './door-deps.ts';
import type { Person } from './prove-person.ts';

/** Gives back how to forget it. `cut` is told why, in words. */
export function watchPerson(
  { identity, revoked, now }: Pick<SshDoorDeps, 'identity' | 'revoked' | 'now'>,
  { caller, certificate, keyId, limits }: Person,
  cut: (words: string) => void,
): (() => void)[] {
  const forget = [identity.onSignInEnd(caller.signInId, (reason) => cut(signedOut(reason).message))];
  if (keyId !== undefined)
    forget.push(revoked.onUnbound(keyId, () => cut('your key was revoked: connect again to be asked')));
  if (!certificate) return forget;
  forget.push(revoked.onRevoked(certificate, () => cut('your certificate was revoked: gatehouse login gets another')));
  // One for one session says by when it begins, not by when it is over.
  if (limits) return forget;
  const left = Math.max(0, certificate.expires - now());
  const timer = setTimeout(() => cut('your certificate ended: gatehouse login gets another'), left).unref();
  return [...forget, () => clearTimeout(timer)];
}
