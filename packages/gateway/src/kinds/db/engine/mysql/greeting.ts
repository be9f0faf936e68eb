/** The first packet of a MySQL server, which speaks before anybody has asked: read from the server, and written anew for the client. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { CAN, type Capabilities, has, offeredOf } from './capabilities.ts';
import { FieldReader } from './field-reader.ts';
import { packet, readServerError, refusedBy } from './packets.ts';
import { readPacket } from './read-packet.ts';

const PROTOCOL = 10;
const FIRST_NONCE_BYTES = 8;
const NONCE_BYTES = 20;

/** Of the server, as it says it itself, before TLS: nothing of it is worth more than the line it came over. */
export interface Greeting {
  version: string;
  /** With it, what runs is cancelled: the client is told the same. */
  thread: number;
  nonce: Buffer;
  capabilities: Capabilities;
  charset: number;
  status: number;
  /** By which method it would like to be signed in to. */
  method: string;
}

/** A server that was dialled and has said who it is, and nothing else yet. The client is greeted with that before anybody signs in: how the server speaks from then on is as the client has said that it can, since bytes pass as they came. */
export interface MetServer {
  bare: Duplex;
  source: ByteSource;
  greeting: Greeting;
}

export async function meetServer(bare: Duplex, signal: AbortSignal): Promise<MetServer> {
  const source = new ByteSource(bare);
  const { body } = await readPacket(source, 0, signal);
  if (body[0] === 0xff) throw refusedBy(readServerError(body));
  return { bare, source, greeting: readGreeting(body) };
}

export function readGreeting(body: Buffer): Greeting {
  const fields = new FieldReader(body);
  const protocol = fields.number(1);
  if (protocol !== PROTOCOL) throw malformed(`a greeting of protocol ${protocol}: is it MySQL or MariaDB?`);
  const version = fields.text();
  const thread = fields.number(4);
  const first = fields.take(FIRST_NONCE_BYTES);
  fields.number(1);
  const low = fields.number(2);
  const charset = fields.number(1);
  const status = fields.number(2);
  const basic = (low | (fields.number(2) << 16)) >>> 0;
  if (!has(basic, CAN.protocol41) || !has(basic, CAN.secureConnection))
    throw new DbFailure('unsupported', `the database is too old: version ${version}`);
  const size = fields.number(1);
  fields.take(6);
  const extended = fields.number(4);
  const second = fields.take(Math.max(13, size - FIRST_NONCE_BYTES));
  const nonce = nonceOf(Buffer.concat([first, second]));
  const method = has(basic, CAN.pluginAuth) ? methodIn(fields.rest()) : 'mysql_native_password';
  return { version, thread, nonce, capabilities: { basic, extended }, charset, status, method };
}

/** Some servers leave the zero at its end out. */
function methodIn(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
}

/** Twenty bytes, and a zero behind them. With fewer, somebody could have worked out the answers before. */
export function nonceOf(bytes: Buffer, size = NONCE_BYTES): Buffer {
  if (bytes.length < size || bytes.length > size + 1)
    throw malformed('a number used once that is too short or too long');
  return Buffer.from(bytes.subarray(0, size));
}

/** No zeros: some clients take them for the end. */
export function ownNonce(): Buffer {
  return Buffer.from(randomBytes(NONCE_BYTES).map((byte) => (byte % 127) + 1));
}

/** The server's own words, without what does not pass here, and with a number used once that nobody answers to. */
export function writeGreeting(greeting: Greeting, method: string, nonce: Buffer): Buffer {
  return greetingOf(greeting, offeredOf(greeting.capabilities), method, nonce);
}

/** `offered`: as it is written, TLS too. */
export function greetingOf(
  greeting: Pick<Greeting, 'version' | 'thread' | 'charset' | 'status'>,
  { basic, extended }: Capabilities,
  method: string,
  nonce: Buffer,
): Buffer {
  const head = Buffer.alloc(31);
  head.writeUInt32LE(greeting.thread, 0);
  nonce.copy(head, 4, 0, FIRST_NONCE_BYTES);
  head.writeUInt16LE(basic & 0xffff, 13);
  head[15] = greeting.charset;
  head.writeUInt16LE(greeting.status, 16);
  head.writeUInt16LE(basic >>> 16, 18);
  head[20] = has(basic, CAN.pluginAuth) ? NONCE_BYTES + 1 : 0;
  head.writeUInt32LE(extended, 27);
  const plugin = has(basic, CAN.pluginAuth) ? [method] : [];
  return packet(
    0,
    Buffer.of(PROTOCOL),
    greeting.version,
    head,
    nonce.subarray(FIRST_NONCE_BYTES),
    Buffer.of(0),
    ...plugin,
  );
}
