/** Opens a desktop by VNC over a stream that was dialled: the version, the security, the sign-in. The page hears nothing of them. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { certificateOf, secured } from '../certified-tls.ts';
import {
  DesktopFailure,
  type DesktopSize,
  type DesktopStep,
  type DesktopTerms,
  malformed,
  type PagedLink,
} from '../desktop-link.ts';
import { signInAtApple } from './apple-sign-in.ts';
import { sizeOf } from './host-messages.ts';
import { VncLink } from './vnc-link.ts';
import { answerChallenge, CHALLENGE_BYTES } from './vnc-password.ts';

export interface VncTerms extends DesktopTerms {
  /** Nobody else is on the way, as where an agent dials on its own machine: a host may let in whoever comes, without TLS. */
  mayBePlain: boolean;
  /** It is known by its certificate: whoever offers less than TLS is not the one. */
  mustBeSecure: boolean;
}

/** Nobody has said a password, and the host asks for one. */
export const NO_PASSWORD = 'no_password';
/** It offers less than it must. */
export const PLAIN_SECURITY = 'plain_security';

const SECURITY = { none: 1, password: 2, vencrypt: 19, apple: 30 } as const;
/** Of VeNCrypt: those with a certificate. Without one, anybody could stand in between. */
const X509 = { none: 260, password: 261, plain: 262 } as const;
const MAX_REASON_BYTES = 1_024;
const MAX_NAME_BYTES = 64 * 1024;
const PIXEL_FORMAT_BYTES = 16;

/** From the first byte to the sign-in. A host that answers a byte now and then would hold a session open for ever. */
const MAX_OPENING_MS = 30_000;

interface VncTalk {
  stream: Duplex;
  source: ByteSource;
  /** 3, 7 or 8. */
  version: number;
  /** Whoever is told of a step knows that those before it went well. */
  onStep: (step: DesktopStep) => void;
}

/** How a host let the gateway in. */
export interface TriedVnc {
  isSecure: boolean;
  /** `password`: one of VNC; `account`: a name as well; `none`: it lets in whoever comes. */
  askedFor: 'password' | 'account' | 'none';
}

export async function openVnc(stream: Duplex, terms: VncTerms, signal: AbortSignal): Promise<PagedLink> {
  return await orDestroy(stream, signal, async (within) => {
    const talk = talkTo(stream, within, () => {});
    await signIn(talk, terms, within);
    // Others who look at the same host stay.
    talk.stream.write(Buffer.of(1));
    const size = await readServerInit(talk.source);
    return new VncLink(talk.stream, terms, size, talk.source.release());
  });
}

/** The same without a picture, and leaves. */
export async function tryVnc(
  stream: Duplex,
  terms: VncTerms,
  signal: AbortSignal,
  onStep: VncTalk['onStep'],
): Promise<TriedVnc> {
  return await orDestroy(stream, signal, async (within) => {
    const talk = talkTo(stream, within, onStep);
    const tried = await signIn(talk, terms, within);
    talk.source.release();
    talk.stream.destroy();
    return tried;
  });
}

function talkTo(stream: Duplex, signal: AbortSignal, onStep: VncTalk['onStep']): VncTalk {
  return { stream, source: new ByteSource(stream, 'protocol', signal), version: 0, onStep };
}

async function orDestroy<T>(stream: Duplex, signal: AbortSignal, run: (within: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_OPENING_MS);
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    stream.on('error', () => {});
    stream.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function agreeVersion({ stream, source }: VncTalk): Promise<number> {
  const said = (await source.take(12)).toString('latin1');
  const minor = /^RFB 003\.(\d{3})\n$/.exec(said)?.[1];
  if (minor === undefined)
    throw new DesktopFailure('protocol', 'not_vnc', 'what answers there does not speak VNC', {
      next: 'look at the address and the port: VNC listens on 5900 unless it was changed',
    });
  const version = Number(minor) >= 8 ? 8 : Number(minor) === 7 ? 7 : 3;
  stream.write(`RFB 003.00${version}\n`);
  return version;
}

async function signIn(talk: VncTalk, terms: VncTerms, signal: AbortSignal): Promise<TriedVnc> {
  talk.onStep('protocol');
  talk.version = await agreeVersion(talk);
  const { stream, version } = talk;
  const offered = await readOffered(talk);
  const plain = terms.mustBeSecure
    ? []
    : [SECURITY.password, ...(terms.mayBePlain ? [SECURITY.apple, SECURITY.none] : [])];
  const chosen = [SECURITY.vencrypt, ...plain].find((each) => offered.includes(each));
  if (chosen === undefined) throw unsupported(offered, terms);
  if (version > 3) stream.write(Buffer.of(chosen));
  let askedFor: TriedVnc['askedFor'] = chosen === SECURITY.none ? 'none' : 'password';
  if (chosen === SECURITY.vencrypt) askedFor = await signInByVencrypt(talk, terms, signal);
  else {
    talk.onStep('sign_in');
    if (chosen === SECURITY.password) await provePassword(talk.source, talk.stream, terms.password);
    if (chosen === SECURITY.apple) {
      requirePassword(terms.password);
      await signInAtApple(talk.source, talk.stream, terms);
      askedFor = 'account';
    }
  }
  // An old host that lets in whoever comes says nothing of it.
  if (chosen !== SECURITY.none || version === 8) await readResult(talk.source, version);
  return { isSecure: chosen === SECURITY.vencrypt, askedFor };
}

async function readOffered({ source, version }: VncTalk): Promise<number[]> {
  if (version === 3) {
    const only = (await source.take(4)).readUInt32BE(0);
    if (only === 0) throw await refusedBy(source);
    return [only];
  }
  const count = (await source.take(1))[0]!;
  if (count === 0) throw await refusedBy(source);
  return [...(await source.take(count))];
}

async function refusedBy(source: ByteSource): Promise<DesktopFailure> {
  const length = (await source.take(4)).readUInt32BE(0);
  const reason = (await source.take(Math.min(length, MAX_REASON_BYTES))).toString('utf8').replace(/\p{Cc}+/gu, ' ');
  return new DesktopFailure('sign_in', 'refused', `the host refuses: ${reason}`);
}

function unsupported(offered: readonly number[], { mustBeSecure }: VncTerms): DesktopFailure {
  if (mustBeSecure)
    return new DesktopFailure(
      'protocol',
      PLAIN_SECURITY,
      'the host offers no TLS with a certificate, though it is known by one: it was changed, or somebody is in between',
      { next: 'turn TLS on again on the host (VeNCrypt X509), or take the certificate out of its record' },
    );
  if (offered.includes(SECURITY.none))
    return new DesktopFailure(
      'protocol',
      PLAIN_SECURITY,
      'the host lets in whoever comes, without TLS, which is refused',
      {
        next: 'set a password for VNC on the host, or let an agent on that machine reach it',
      },
    );
  if (offered.includes(SECURITY.apple))
    return new DesktopFailure(
      'protocol',
      PLAIN_SECURITY,
      "the host has Apple's sign-in alone, by which whoever answers is told the password of an account",
      { next: 'let an agent on that machine or beside it dial it' },
    );
  return new DesktopFailure('protocol', 'unsupported', 'the host asks for a sign-in of VNC that is not supported', {
    next: 'let it take a password of VNC, or TLS with a certificate (VeNCrypt X509)',
  });
}

async function provePassword(source: ByteSource, stream: Duplex, password: string): Promise<void> {
  const challenge = await source.take(CHALLENGE_BYTES);
  requirePassword(password);
  stream.write(answerChallenge(challenge, password));
}

async function signInByVencrypt(talk: VncTalk, terms: VncTerms, signal: AbortSignal): Promise<TriedVnc['askedFor']> {
  const { stream, source } = talk;
  const version = await source.take(2);
  if (version.readUInt16BE(0) < 2) throw malformed('the host has an old form of VeNCrypt');
  stream.write(Buffer.of(0, 2));
  if ((await source.take(1))[0] !== 0) throw malformed('the host does not take its own version of VeNCrypt');
  const list = await source.take(4 * (await source.take(1))[0]!);
  const offered = Array.from({ length: list.length / 4 }, (_, at) => list.readUInt32BE(4 * at));
  const chosen = [X509.plain, X509.password, X509.none].find((each) => offered.includes(each));
  if (chosen === undefined)
    throw new DesktopFailure('tls', 'no_certificate', 'the host has TLS without a certificate, which is refused', {
      next: 'give its VNC service a certificate (X509 in VeNCrypt)',
    });
  const choice = Buffer.alloc(4);
  choice.writeUInt32BE(chosen);
  stream.write(choice);
  if ((await source.take(1))[0] !== 1) throw new DesktopFailure('tls', 'tls', 'the host refuses TLS');
  if (source.release().length > 0) throw malformed('the host says more before TLS than it may');
  talk.onStep('tls');
  const secure = await secured(stream, terms.serverName, signal);
  talk.onStep('certificate');
  const { leaf, chain } = certificateOf(secure);
  await terms.checkCertificate(leaf, chain, false);
  talk.onStep('sign_in');
  talk.stream = secure;
  talk.source = new ByteSource(secure, 'sign_in', signal);
  if (chosen === X509.password) await provePassword(talk.source, secure, terms.password);
  if (chosen === X509.plain) {
    requirePassword(terms.password);
    secure.write(plainCredentials(terms));
  }
  if (chosen === X509.none) return 'none';
  return chosen === X509.plain ? 'account' : 'password';
}

function requirePassword(password: string): void {
  if (password === '')
    throw new DesktopFailure('sign_in', NO_PASSWORD, 'the host asks for a password, and none is stored', {
      next: 'store the password that VNC has on that machine',
    });
}

function plainCredentials({ user, password }: VncTerms): Buffer {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  const head = Buffer.alloc(8);
  head.writeUInt32BE(name.length, 0);
  head.writeUInt32BE(secret.length, 4);
  return Buffer.concat([head, name, secret]);
}

async function readResult(source: ByteSource, version: number): Promise<void> {
  const result = (await source.take(4)).readUInt32BE(0);
  if (result === 0) return;
  const told = version === 8 ? (await refusedBy(source)).message : 'the host refuses';
  throw new DesktopFailure(
    'sign_in',
    'wrong_password',
    `${told}: the password is another one, or too many were tried`,
    {
      next: 'store the password that VNC has on that machine',
    },
  );
}

/** Its own pixel format is not used: ours is asked for, and the page is told that one. Nor is its name, by which the client of a page would choose another. */
async function readServerInit(source: ByteSource): Promise<DesktopSize> {
  const head = await source.take(4 + PIXEL_FORMAT_BYTES + 4);
  const size = sizeOf(head.readUInt16BE(0), head.readUInt16BE(2));
  const length = head.readUInt32BE(20);
  if (length > MAX_NAME_BYTES) throw malformed('the desktop has a name that is no name');
  await source.take(length);
  return size;
}
