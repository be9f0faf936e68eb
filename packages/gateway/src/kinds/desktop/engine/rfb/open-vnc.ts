/** Opens a desktop by VNC over a stream that was dialled: the version, the security, the sign-in. The page hears nothing of them. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { certificateOf, secured } from '../certified-tls.ts';
import { DesktopFailure, type DesktopLink, type DesktopTerms, malformed } from '../desktop-link.ts';
import { sizeOf } from './host-messages.ts';
import { VncLink } from './vnc-link.ts';
import { answerChallenge, CHALLENGE_BYTES } from './vnc-password.ts';

export interface VncTerms extends DesktopTerms {
  /** Nobody else is on the way, as where an agent dials on its own machine: a host may let in whoever comes, without TLS. */
  mayBePlain: boolean;
}

const SECURITY = { none: 1, password: 2, vencrypt: 19 } as const;
/** Of VeNCrypt: those with a certificate. Without one, anybody could stand in between. */
const X509 = { none: 260, password: 261, plain: 262 } as const;
const MAX_REASON_BYTES = 1_024;
const MAX_NAME_BYTES = 64 * 1024;
const PIXEL_FORMAT_BYTES = 16;

interface VncTalk {
  stream: Duplex;
  source: ByteSource;
  /** 3, 7 or 8. */
  version: number;
}

export async function openVnc(stream: Duplex, terms: VncTerms, signal: AbortSignal): Promise<DesktopLink> {
  try {
    const talk: VncTalk = { stream, source: new ByteSource(stream, 'protocol', signal), version: 0 };
    talk.version = await agreeVersion(talk);
    await signIn(talk, terms, signal);
    // Others who look at the same host stay.
    talk.stream.write(Buffer.of(1));
    const init = await readServerInit(talk.source);
    return new VncLink(talk.stream, terms, init, talk.source.release());
  } catch (error) {
    stream.on('error', () => {});
    stream.destroy();
    throw error;
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

async function signIn(talk: VncTalk, terms: VncTerms, signal: AbortSignal): Promise<void> {
  const { stream, version } = talk;
  const offered = await readOffered(talk);
  const wanted = [SECURITY.vencrypt, SECURITY.password, ...(terms.mayBePlain ? [SECURITY.none] : [])];
  const chosen = wanted.find((each) => offered.includes(each));
  if (chosen === undefined) throw unsupported(offered);
  if (version > 3) stream.write(Buffer.of(chosen));
  if (chosen === SECURITY.vencrypt) await signInByVencrypt(talk, terms, signal);
  else if (chosen === SECURITY.password) await provePassword(talk.source, talk.stream, terms.password);
  // An old host that lets in whoever comes says nothing of it.
  if (chosen !== SECURITY.none || version === 8) await readResult(talk.source, version);
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

function unsupported(offered: readonly number[]): DesktopFailure {
  if (offered.includes(SECURITY.none))
    return new DesktopFailure(
      'protocol',
      'plain_security',
      'the host lets in whoever comes, without TLS, which is refused',
      {
        next: 'set a password for VNC on the host, or let an agent on that machine reach it',
      },
    );
  return new DesktopFailure('protocol', 'unsupported', 'the host asks for a sign-in of VNC that is not supported', {
    next: 'let it take a password of VNC, or TLS with a certificate (VeNCrypt X509)',
  });
}

async function provePassword(source: ByteSource, stream: Duplex, password: string): Promise<void> {
  stream.write(answerChallenge(await source.take(CHALLENGE_BYTES), password));
}

async function signInByVencrypt(talk: VncTalk, terms: VncTerms, signal: AbortSignal): Promise<void> {
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
  const secure = await secured(stream, terms.serverName, signal);
  const { leaf, chain } = certificateOf(secure);
  await terms.checkCertificate(leaf, chain, false);
  talk.stream = secure;
  talk.source = new ByteSource(secure, 'sign_in', signal);
  if (chosen === X509.password) await provePassword(talk.source, secure, terms.password);
  if (chosen === X509.plain) secure.write(plainCredentials(terms));
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

/** Its own pixel format is not used: ours is asked for, and the page is told that one. */
async function readServerInit(source: ByteSource) {
  const head = await source.take(4 + PIXEL_FORMAT_BYTES + 4);
  const size = sizeOf(head.readUInt16BE(0), head.readUInt16BE(2));
  const length = head.readUInt32BE(20);
  if (length > MAX_NAME_BYTES) throw malformed('the desktop has a name that is no name');
  return { size, name: await source.take(length) };
}
