/** Greets a MySQL client as the server that was met, and reads who it says it is. Nothing it says of itself is believed, and its password is not looked at. */
import type { Duplex } from 'node:stream';
import type { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { CAN, type Capabilities, has, offeredOf } from './capabilities.ts';
import { FieldReader } from './field-reader.ts';
import { type Greeting, ownNonce, writeGreeting } from './greeting.ts';
import { packet } from './packets.ts';
import { readPacket } from './read-packet.ts';

/** Every client knows it, or says which other it knows. */
const NATIVE = 'mysql_native_password';
const CACHING = 'caching_sha2_password';
const HEAD_BYTES = 32;
const KNOWN_ALREADY = Buffer.of(1, 3);

export interface ClientHello {
  /** As the client says it, which decides nothing by itself; empty where it says nothing. */
  user: string;
  database: string;
  /** Both sides of the session speak like that from then on. */
  capabilities: Capabilities;
  charset: number;
  maxPacket: number;
  /** What the client tells of itself, as it stands in its packet. */
  attributes: Buffer;
  /** The number of the packet that answers it. */
  next: number;
}

/** `client` has its TLS already, or none is needed on its way here: it is not offered. */
export async function greetClient(
  client: Duplex,
  source: ByteSource,
  greeting: Greeting,
  signal: AbortSignal,
): Promise<ClientHello> {
  const nonce = ownNonce();
  client.write(writeGreeting(greeting, NATIVE, nonce));
  return await hearClient(client, source, { nonce, offered: offeredOf(greeting.capabilities), sequence: 1 }, signal);
}

/** With what a client was greeted that answers now. */
export interface Greeted {
  nonce: Buffer;
  offered: Capabilities;
  /** The number of the packet in which it says who it is: one more where it asked for TLS before. */
  sequence: number;
}

export async function hearClient(
  client: Duplex,
  source: ByteSource,
  { nonce, offered, sequence }: Greeted,
  signal: AbortSignal,
): Promise<ClientHello> {
  const { body } = await readPacket(source, sequence, signal);
  const { method, ...hello } = readHello(body, offered);
  const next = sequence + 1;
  if (method === NATIVE) return { ...hello, next };
  return { ...hello, next: await letSwitch(client, source, { method, nonce, next }, signal) };
}

/** A client that has prepared another method waits for a word about it: without one, it takes the answer for a mistake. */
async function letSwitch(
  client: Duplex,
  source: ByteSource,
  { method, nonce, next }: { method: string; nonce: Buffer; next: number },
  signal: AbortSignal,
): Promise<number> {
  const taken = method === CACHING ? CACHING : NATIVE;
  client.write(packet(next, Buffer.of(0xfe), taken, nonce, Buffer.of(0)));
  const proof = await readProof(source, next + 1, signal);
  if (taken === NATIVE || proof.length <= 1) return next + 2;
  client.write(packet(next + 2, KNOWN_ALREADY));
  return next + 3;
}

/** Empty where the client has no password. */
async function readProof(source: ByteSource, sequence: number, signal: AbortSignal): Promise<Buffer> {
  const head = await source.take(4, signal);
  const length = head.readUIntLE(0, 3);
  if (head[3] !== sequence || length > 1_024) throw malformed('an answer about its password that is none');
  return Buffer.from(await source.take(length, signal));
}

function readHello(body: Buffer, offered: Capabilities): Omit<ClientHello, 'next'> & { method: string } {
  const fields = new FieldReader(body);
  const basic = body.length >= HEAD_BYTES ? fields.number(4) : 0;
  if (!has(basic, CAN.protocol41))
    throw new DbFailure('unsupported', 'your client is too old for this: it does not speak protocol 4.1');
  if (has(basic, CAN.ssl) && body.length === HEAD_BYTES)
    throw new DbFailure('unsupported', 'TLS is not spoken here, as the way here has its own: connect without');
  const maxPacket = fields.number(4);
  const charset = fields.number(1);
  fields.take(19);
  const extended = fields.number(4);
  const user = fields.text();
  takeProof(fields, basic);
  const database = has(basic, CAN.connectWithDb) && fields.left > 0 ? fields.text() : '';
  const method = has(basic, CAN.pluginAuth) && fields.left > 0 ? fields.text() : NATIVE;
  const attributes =
    has(basic, CAN.connectAttributes) && fields.left > 0 ? Buffer.from(fields.measured()) : Buffer.alloc(0);
  const own = has(basic, CAN.longPassword) ? 0 : extended;
  const capabilities = { basic: basic & offered.basic, extended: own & offered.extended };
  return { user, database, method, attributes, charset, maxPacket, capabilities };
}

function takeProof(fields: FieldReader, basic: number): void {
  if (has(basic, CAN.longAuthData)) fields.measured();
  else if (has(basic, CAN.secureConnection)) fields.take(fields.number(1));
  else fields.text();
}
