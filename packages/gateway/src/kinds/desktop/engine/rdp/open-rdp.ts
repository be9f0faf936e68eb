/** Opens a desktop by RDP over a stream that was dialled: X.224, TLS, its certificate, and the sign-in. */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ByteSource } from '../byte-source.ts';
import { certificateOf, type ShownCertificate, secured } from '../certified-tls.ts';
import {
  DesktopFailure,
  type DesktopStep,
  type DesktopTerms,
  malformed,
  type SharedLink,
  type Trust,
} from '../desktop-link.ts';
import { signInByCredssp } from './credssp.ts';
import { RdpLink } from './rdp-link.ts';
import { readX224Confirm, SECURITY, x224Request } from './x224.ts';

/** Whoever is told of a step knows that those before it went well. */
export type OnStep = (step: DesktopStep) => void;

export interface TriedRdp {
  /** What the host chose: `tls` is signed in to by what it draws, which is not tried. */
  offered: 'nla' | 'tls';
  certificate: ShownCertificate;
  signedIn: boolean;
}

interface MetHost {
  secure: TLSSocket;
  selected: number;
  certificate: ShownCertificate;
}

/** From the first byte to the sign-in. A host that answers a byte now and then would hold a session open for ever. */
const MAX_OPENING_MS = 30_000;

/** In words, to be read before `state` says that the desktop is connected. The stream is destroyed where it fails. */
export async function openRdp(stream: Duplex, terms: DesktopTerms, signal: AbortSignal): Promise<SharedLink> {
  return await orDestroy(stream, async () => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), MAX_OPENING_MS);
    try {
      const { secure, selected } = await meet(stream, terms, AbortSignal.any([signal, late.signal]), () => {});
      return new RdpLink(secure, terms, selected);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** The same without a picture, and leaves. */
export async function tryRdp(
  stream: Duplex,
  terms: DesktopTerms,
  signal: AbortSignal,
  onStep: OnStep,
): Promise<TriedRdp> {
  return await orDestroy(stream, async () => {
    const { secure, selected, certificate } = await meet(stream, terms, signal, onStep);
    secure.destroy();
    const isNla = selected !== SECURITY.tls;
    return { offered: isNla ? 'nla' : 'tls', certificate, signedIn: isNla };
  });
}

async function orDestroy<T>(stream: Duplex, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    stream.on('error', () => {});
    stream.destroy();
    throw error;
  }
}

async function meet(stream: Duplex, terms: DesktopTerms, signal: AbortSignal, onStep: OnStep): Promise<MetHost> {
  onStep('protocol');
  const selected = await agree(stream, signal);
  onStep('tls');
  const secure = await secured(stream, terms.serverName, signal);
  onStep('certificate');
  const certificate = certificateOf(secure);
  const trust = await terms.checkCertificate(certificate.leaf, certificate.chain, selected !== SECURITY.tls);
  onStep('sign_in');
  if (selected !== SECURITY.tls) await signIn(secure, { selected, leaf: certificate.leaf, trust }, terms, signal);
  return { secure, selected, certificate };
}

async function agree(stream: Duplex, signal: AbortSignal): Promise<number> {
  const source = new ByteSource(stream, 'protocol', signal);
  stream.write(x224Request());
  const selected = await readX224Confirm(source);
  // It would be taken for what came inside TLS.
  if (source.release().length > 0) throw malformed('the host says more before TLS than it may');
  return selected;
}

const EARLY_RESULT_BYTES = 4;

async function signIn(
  secure: TLSSocket,
  { selected, leaf, trust }: { selected: number; leaf: Buffer; trust: Trust },
  terms: DesktopTerms,
  signal: AbortSignal,
): Promise<void> {
  const source = new ByteSource(secure, 'sign_in', signal);
  await signInByCredssp(secure, source, { leaf, trust }, terms);
  if (selected === SECURITY.nlaEx && (await source.take(EARLY_RESULT_BYTES)).readUInt32LE(0) !== 0)
    throw new DesktopFailure('sign_in', 'not_remote', 'this login may not sign in remotely', {
      next: "make it a member of 'Remote Desktop Users' on that machine",
    });
  if (source.release().length > 0) throw malformed('the host says more after the sign-in than it may');
}
