/** The sign-in of TDS: what a client says in it, and what the gateway says in its stead. */
import { DbFailure, malformed } from '../db-failure.ts';
import type { ServerTerms } from '../server-terms.ts';
import { packets, TYPE } from './packets.ts';

const FIXED_BYTES = 94;
/** Of TDS 7.2, which ends answers as this reads them; SQL Server 2005 has it. */
const MIN_VERSION = 0x72;
/** TDS 8.0 is 7.4 inside TLS that came first; its number is below that of all others. */
const TDS_8 = 0x08;
const TDS_8_WORD = 0x08000000;
const TDS_7_4_WORD = 0x74000004;
const FLAGS_AT = 24;
/** What a client may wish for: what it is told of, how ODBC and OLE DB have it, that it only reads, and collations it does not know. Not: another order of bytes, EBCDIC, to be a server that replicates, Windows, a new password, an instance of its own, extensions. */
const KEPT_FLAGS = [0xf0, 0x03, 0x30, 0x08] as const;
/** Where offset and length of each stand. */
const AT = { host: 36, app: 48, library: 60, language: 64, database: 68 } as const;
const MAX_PACKET_BYTES = 32_767;
const MIN_PACKET_BYTES = 512;

export interface ClientLogin {
  /** Version, packet size and all that stands before the texts. */
  fixed: Buffer;
  packetBytes: number;
  /** It came by TLS that began before TDS. */
  isTds8: boolean;
  host: string;
  app: string;
  library: string;
  language: string;
  /** Empty where the client names none. */
  database: string;
}

export function readLogin(payload: Buffer): ClientLogin {
  if (payload.length < FIXED_BYTES || payload.readUInt32LE(0) !== payload.length)
    throw malformed('a sign-in of another length than it says');
  if (!isSpoken(payload[7] ?? 0))
    throw new DbFailure('unsupported', 'your client speaks TDS older than 7.2: set a newer version in it', {
      code: '18456',
    });
  const text = (at: number) => {
    const [start, length] = [payload.readUInt16LE(at), payload.readUInt16LE(at + 2) * 2];
    const bytes = payload.subarray(start, start + length);
    if (bytes.length !== length) throw malformed('a sign-in with a text that is cut off');
    return bytes.toString('utf16le');
  };
  const asked = payload.readUInt32LE(8);
  return {
    fixed: payload.subarray(0, 36),
    isTds8: payload[7] === TDS_8,
    packetBytes: asked === 0 ? 4_096 : Math.min(MAX_PACKET_BYTES, Math.max(MIN_PACKET_BYTES, asked)),
    ...{ host: text(AT.host), app: text(AT.app), library: text(AT.library) },
    ...{ language: text(AT.language), database: text(AT.database) },
  };
}

/** By the first byte of a version of TDS. */
export function isSpoken(version: number): boolean {
  return version === TDS_8 || version >= MIN_VERSION;
}

/** What a server has agreed to, as a client that came by TLS first expects it. */
export function sayTds8(agreed: Buffer): void {
  agreed.writeUInt32BE(TDS_8_WORD);
}

/** What the gateway says where it is a client itself. */
export function ownLogin(): ClientLogin {
  const fixed = Buffer.alloc(36);
  fixed.writeUInt32LE(TDS_7_4_WORD, 4);
  // Its own order of bytes, and what it changes by itself is told.
  fixed[24] = 0xe0;
  fixed[25] = 0x03;
  fixed.writeUInt32LE(0x0409, 32);
  return {
    ...{ fixed, packetBytes: 4_096, isTds8: false, host: '', app: 'gatehouse', library: 'gatehouse' },
    ...{ language: '', database: '' },
  };
}

/** No extensions: some of them sign in by themselves, or bring the state of another session. */
export function login(
  client: ClientLogin,
  terms: Pick<ServerTerms, 'user'>,
  password: string,
  database: string,
): Buffer {
  const fixed = Buffer.from(client.fixed);
  // To the server, TLS begins inside TDS.
  if (client.isTds8) fixed.writeUInt32LE(TDS_7_4_WORD, 4);
  fixed.writeUInt32LE(client.packetBytes, 8);
  for (const [index, kept] of KEPT_FLAGS.entries()) fixed[FLAGS_AT + index] = (fixed[FLAGS_AT + index] ?? 0) & kept;
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  // In the order of the protocol; those that nobody needs are empty.
  const texts = [
    ...[utf16(client.host), utf16(terms.user), hidden(password), utf16(client.app), utf16('')],
    ...[Buffer.alloc(0), utf16(client.library), utf16(client.language), utf16(database)],
  ];
  const table = Buffer.alloc(FIXED_BYTES - 36);
  let at = FIXED_BYTES;
  for (const [index, text] of texts.entries()) {
    table.writeUInt16LE(at, index * 4);
    table.writeUInt16LE(text.length / 2, index * 4 + 2);
    at += text.length;
  }
  // Six bytes that name a machine, then SSPI, a file, a new password, and the long form of the first.
  for (const index of [0, 1, 2]) table.writeUInt16LE(at, texts.length * 4 + 6 + index * 4);
  fixed.writeUInt32LE(at, 0);
  return packets(TYPE.login, Buffer.concat([fixed, table, ...texts]));
}

/** Against nothing but a glance: who can read it can read the password. */
export function hidden(password: string): Buffer {
  return Buffer.from(password, 'utf16le').map((byte) => (((byte << 4) & 0xf0) | (byte >> 4)) ^ 0xa5) as Buffer;
}
