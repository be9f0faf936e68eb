/** Greets a MySQL client before anybody knows which server it wants: as no server in particular, and only with TLS. */
import type { Duplex } from 'node:stream';
import type { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { CAN, has, OFFERED_TO_ALL } from './capabilities.ts';
import type { Greeted } from './greet-client.ts';
import { greetingOf, ownNonce } from './greeting.ts';
import { errorPacket } from './packets.ts';

/** Clients decide by it what they ask first; those of MySQL and of MariaDB know this one. What is behind it says its own when it is asked. */
const VERSION = '8.0.30-gatehouse';
const METHOD = 'mysql_native_password';
const UTF8MB4 = 45;
const AUTOCOMMIT = 2;
const TLS_REQUEST_BYTES = 32;
const MAX_FIRST_BYTES = 16 * 1024;
const TLS_REQUIRED = 3159;
const TLS_HANDSHAKE = 0x16;

/** Resolves when TLS begins with the next byte. `thread`: by which the client will ask to cancel what it runs. */
export async function greetFirst(
  client: Duplex,
  source: ByteSource,
  thread: number,
  signal: AbortSignal,
): Promise<Greeted> {
  const nonce = ownNonce();
  const { basic, extended } = OFFERED_TO_ALL;
  const greeting = { version: VERSION, thread, charset: UTF8MB4, status: AUTOCOMMIT };
  client.write(greetingOf(greeting, { basic: basic | CAN.ssl, extended }, METHOD, nonce));
  const head = await source.take(4, signal);
  const length = head.readUIntLE(0, 3);
  if (head[3] !== 1 || length < TLS_REQUEST_BYTES || length > MAX_FIRST_BYTES)
    throw malformed('no answer to a greeting');
  const body = await source.take(length, signal);
  if (length > TLS_REQUEST_BYTES) {
    client.write(errorPacket(2, TLS_REQUIRED, 'TLS is required here, with the certificate of gatehouse db login'));
    throw new DbFailure('refused', 'a client without TLS');
  }
  if (!has(body.readUInt32LE(0), CAN.ssl)) throw malformed('half an answer to a greeting');
  // Clients wait for no answer before they begin: what is here already is given to TLS, which takes nothing else.
  const begun = source.release();
  if (begun.length > 0 && begun[0] !== TLS_HANDSHAKE) throw malformed('more before TLS than there may be');
  if (begun.length > 0) client.unshift(begun);
  return { nonce, offered: OFFERED_TO_ALL, sequence: 2 };
}
