/** Looks at the certificate that a desktop shows: TLS is begun and left again, and nobody signs in. */
import type { Duplex } from 'node:stream';
import type { ShownCertificate } from '@gatehouse/contract/kinds/desktop/desktops';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach } from '../../reach/reach.ts';
import { describeCertificate, whyRefused } from './desktop-certificates.ts';
import { DesktopFailure, type DesktopTerms } from './engine/desktop-link.ts';
import { tryRdp } from './engine/rdp/open-rdp.ts';
import { PLAIN_SECURITY, tryVnc } from './engine/rfb/open-vnc.ts';
import { desktopServerName, desktopTarget, type ListedDesktop } from './listed-desktop.ts';

const WITHIN_MS = 10_000;
const NO_CERTIFICATE = 'what it shows is no certificate that can be read';

/** Enough to see it. */
class Looked extends Error {}

export async function lookAtDesktop(
  reach: Pick<Reach, 'dial'>,
  desktop: ListedDesktop,
  who: { user: string; session: string },
  now: number,
): Promise<{ shown: ShownCertificate; isKnown: boolean }> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const stream = await reach.dial(desktopTarget(desktop), { who, signal, timeoutMs: WITHIN_MS });
  const seen = await lookOver(stream, desktop, signal)
    .catch((error: unknown) => {
      if (error instanceof DesktopFailure && desktop.spec.protocol === 'vnc' && error.code === PLAIN_SECURITY)
        throw new AppError('conflict', 'it speaks VNC without TLS, and shows no certificate');
      throw error instanceof DesktopFailure ? asAppError(error) : error;
    })
    .finally(() => stream.destroy());
  const shown = describeCertificate(seen.leaf);
  if (!shown) throw new AppError('target_unreachable', NO_CERTIFICATE);
  return { shown, isKnown: whyRefused(desktop, seen.leaf, seen.chain, { login: undefined, now }) === undefined };
}

/** What a host showed. */
export interface LookedAt {
  leaf: Buffer;
  chain: readonly Buffer[];
}

/** Throws `DesktopFailure` where it shows none. */
export async function lookOver(stream: Duplex, desktop: ListedDesktop, signal: AbortSignal): Promise<LookedAt> {
  let seen: LookedAt | undefined;
  const terms: DesktopTerms = {
    ...NOBODY,
    serverName: desktopServerName(desktop),
    checkCertificate(leaf, chain) {
      seen = { leaf, chain };
      throw new Looked('it was looked at');
    },
  };
  try {
    if (desktop.spec.protocol === 'rdp') await tryRdp(stream, terms, signal, () => {});
    else await tryVnc(stream, { ...terms, mayBePlain: true, mustBeSecure: true }, signal, () => {});
  } catch (error) {
    if (!(error instanceof Looked)) throw error;
  }
  if (!seen) throw new DesktopFailure('tls', 'no_certificate', NO_CERTIFICATE);
  return seen;
}

/** Whoever signs in over it has no name. */
const NOBODY = {
  ...{ user: '', domain: '', password: '', width: 1_024, height: 768, scale: 100, keyboard: 0 },
  ...{ clipboard: false, drives: false },
} as const;

export function asAppError(failure: DesktopFailure): AppError {
  const fields = failure.next === '' ? {} : { next: failure.next };
  return new AppError('target_unreachable', failure.message, { fields, cause: failure });
}
