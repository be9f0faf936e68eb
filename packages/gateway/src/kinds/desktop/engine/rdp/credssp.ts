/** CredSSP of the client, version 6: signs in by NTLM inside TLS, bound to the key of the host's certificate, and hands the password over only then. */
import { createHash, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ByteSource } from '../byte-source.ts';
import { CLOSED_BY_HOST, DesktopFailure, LOST_HOST, malformed, type Trust } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { derLength, onlyTlv, readTlv, tlv } from './der.ts';
import { signInRefused } from './nt-status.ts';
import { authenticateMessage, type NtlmAccount, NtlmSeal, negotiateMessage } from './ntlm.ts';

const VERSION = 6;
/** From then on a nonce is part of what binds it to the key. */
const NONCE_VERSION = 5;
const OLD_SIGN_IN =
  'the host shows another certificate than it is known by, and its way of signing in is too old to prove that it is its own';
const MAX_MESSAGE_BYTES = 64 * 1024;
const SEQUENCE = 0x30;
const OCTETS = 0x04;

const context = (number: number, body: Buffer): Buffer => tlv(0xa0 | number, body);
const octets = (body: Buffer): Buffer => tlv(OCTETS, body);
const integer = (value: number): Buffer => tlv(0x02, Buffer.of(value));
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

interface Request {
  token?: Buffer;
  sealedCredentials?: Buffer;
  sealedKey?: Buffer;
  nonce?: Buffer;
}

function writeRequest({ token, sealedCredentials, sealedKey, nonce }: Request): Buffer {
  return tlv(
    SEQUENCE,
    context(0, integer(VERSION)),
    ...(token ? [context(1, tlv(SEQUENCE, tlv(SEQUENCE, context(0, octets(token)))))] : []),
    ...(sealedCredentials ? [context(2, octets(sealedCredentials))] : []),
    ...(sealedKey ? [context(3, octets(sealedKey))] : []),
    ...(nonce ? [context(5, octets(nonce))] : []),
  );
}

export interface HostAnswer {
  version: number;
  token: Buffer | undefined;
  sealedKey: Buffer | undefined;
  /** An NTSTATUS. */
  error: number | undefined;
}

export function readHostAnswer(message: Buffer): HostAnswer {
  const what = "the host's answer to the sign-in";
  const fields = new FieldReader(onlyTlv(message, SEQUENCE, what), what);
  const answer: HostAnswer = { version: 0, token: undefined, sealedKey: undefined, error: undefined };
  while (fields.left > 0) {
    const { tag, body } = readTlv(fields);
    const number = tag & 0x1f;
    if (number === 0) answer.version = readInteger(onlyTlv(body, 0x02, what), what);
    if (number === 1) {
      const list = onlyTlv(onlyTlv(body, SEQUENCE, what), SEQUENCE, what);
      answer.token = onlyTlv(onlyTlv(list, 0xa0, what), OCTETS, what);
    }
    if (number === 3) answer.sealedKey = onlyTlv(body, OCTETS, what);
    if (number === 4) answer.error = readInteger(onlyTlv(body, 0x02, what), what);
  }
  return answer;
}

function readInteger(body: Buffer, what: string): number {
  if (body.length === 0 || body.length > 5) throw malformed(`${what} is no number where one belongs`);
  return body.readUIntBE(0, body.length) >>> 0;
}

async function nextAnswer(source: ByteSource): Promise<HostAnswer> {
  let head = await source.take(2);
  if (head[0] !== SEQUENCE) throw malformed("the host's answer to the sign-in is none of CredSSP");
  const more = head[1]! & 0x80 ? head[1]! & 0x7f : 0;
  if (more > 0) head = Buffer.concat([head, await source.take(Math.min(more, 4))]);
  const length = derLength(head, MAX_MESSAGE_BYTES);
  if (length === undefined) throw malformed("the host's answer to the sign-in is none of CredSSP");
  return readHostAnswer(Buffer.concat([head, await source.take(length - head.length)]));
}

/** What CredSSP is bound to: the key itself, without the words around it. */
export function subjectPublicKey(leaf: Buffer): Buffer {
  const what = 'the certificate';
  const spki = new X509Certificate(leaf).publicKey.export({ type: 'spki', format: 'der' });
  const fields = new FieldReader(onlyTlv(spki, SEQUENCE, what), what);
  readTlv(fields);
  return readTlv(fields).body.subarray(1);
}

/** Over TLS that stands. Whoever cannot prove to have this account's secret too never gets the password. */
export async function signInByCredssp(
  stream: Duplex,
  source: ByteSource,
  { leaf, trust }: { leaf: Buffer; trust: Trust },
  account: NtlmAccount,
): Promise<void> {
  const negotiate = negotiateMessage();
  stream.write(writeRequest({ token: negotiate }));
  const first = await nextAnswer(source);
  if (first.error !== undefined) throw signInRefused(first.error);
  if (!first.token) throw malformed('the host begins no sign-in');
  // Without a nonce what is proved is the key alone, which somebody in between can choose so that the host signs it for them.
  if (trust === 'unproven' && first.version < NONCE_VERSION)
    throw new DesktopFailure('sign_in', 'old_sign_in', OLD_SIGN_IN, {
      next: 'update that machine, or look at its new certificate and accept it',
    });
  const { message, key } = authenticateMessage(negotiate, first.token, account);
  const [ours, theirs] = [new NtlmSeal(key, 'client-to-server'), new NtlmSeal(key, 'server-to-client')];
  const binding = keyBinding(subjectPublicKey(leaf), first.version >= NONCE_VERSION);
  stream.write(writeRequest({ token: message, sealedKey: ours.seal(binding.client), ...binding.nonce }));
  const second = await nextAnswer(source).catch((error: unknown) => {
    throw isGone(error) ? saidByLeaving(error) : error;
  });
  if (second.error !== undefined) throw signInRefused(second.error);
  // Without a reason, hosts before version 3 say no in this way.
  if (!second.sealedKey) throw signInRefused(undefined);
  const told = theirs.open(second.sealedKey);
  if (!told || told.length !== binding.host.length || !timingSafeEqual(told, binding.host))
    throw new DesktopFailure('sign_in', 'not_the_host', 'the host could not prove that its certificate is its own', {
      next: 'somebody may stand in between: look at who answers at this address before anybody signs in',
    });
  const credentials = tlv(
    SEQUENCE,
    context(0, octets(wide(account.domain))),
    context(1, octets(wide(account.user))),
    context(2, octets(wide(account.password))),
  );
  stream.write(
    writeRequest({
      sealedCredentials: ours.seal(tlv(SEQUENCE, context(0, integer(1)), context(1, octets(credentials)))),
    }),
  );
}

function isGone(error: unknown): error is DesktopFailure {
  return error instanceof DesktopFailure && (error.message === CLOSED_BY_HOST || error.message === LOST_HOST);
}

/** Hosts that are no Windows say nothing of a wrong password: they go when they are shown it. */
function saidByLeaving(cause: DesktopFailure): DesktopFailure {
  const message =
    'the host closed the connection when this login was shown to it, which hosts do that do not know it with this password';
  return new DesktopFailure('sign_in', 'closed_at_login', message, {
    next: 'look at the login, its domain and its password',
    cause,
  });
}

interface KeyBinding {
  client: Buffer;
  host: Buffer;
  nonce: { nonce: Buffer } | Record<string, never>;
}

function keyBinding(key: Buffer, hasNonce: boolean): KeyBinding {
  if (!hasNonce)
    return { client: key, host: Buffer.concat([Buffer.of((key[0]! + 1) & 0xff), key.subarray(1)]), nonce: {} };
  const nonce = randomBytes(32);
  const bound = (direction: string): Buffer =>
    createHash('sha256').update(`CredSSP ${direction} Binding Hash\0`).update(nonce).update(key).digest();
  return { client: bound('Client-To-Server'), host: bound('Server-To-Client'), nonce: { nonce } };
}
