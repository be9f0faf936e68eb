/** Packets of TDS, the protocol of SQL Server: a message is one or several of one type, and the last of them says so. */
import { malformed } from '../db-failure.ts';

export const TYPE = {
  batch: 1,
  rpc: 3,
  reply: 4,
  attention: 6,
  bulk: 7,
  transaction: 14,
  login: 16,
  prelogin: 18,
} as const;
export const STATUS = { last: 1, ignore: 2, reset: 8, resetKeepingTransaction: 16 } as const;
export const HEAD_BYTES = 8;
/** What both sides begin with. */
export const USUAL_PACKET_BYTES = 4_096;

export interface PacketHead {
  type: number;
  status: number;
  /** With the head. */
  length: number;
  /** Of the session at the server. */
  spid: number;
}

export function readHead(bytes: Buffer): PacketHead {
  const length = bytes.readUInt16BE(2);
  if (length < HEAD_BYTES) throw malformed(`a packet of ${length} bytes`);
  return { type: bytes[0] ?? 0, status: bytes[1] ?? 0, length, spid: bytes.readUInt16BE(4) };
}

/** A whole message of one type. */
export function packets(type: number, payload: Buffer, size = USUAL_PACKET_BYTES): Buffer {
  const room = size - HEAD_BYTES;
  const all: Buffer[] = [];
  for (let at = 0, number = 1; at === 0 || at < payload.length; at += room, number += 1) {
    const part = payload.subarray(at, at + room);
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = type;
    head[1] = at + room >= payload.length ? STATUS.last : 0;
    head.writeUInt16BE(HEAD_BYTES + part.length, 2);
    head[6] = number & 0xff;
    all.push(head, part);
  }
  return Buffer.concat(all);
}

/** Stops what runs. */
export const ATTENTION = packets(TYPE.attention, Buffer.alloc(0));

const TOKEN = { error: 0xaa, done: 0xfd } as const;
const DONE_ERROR = 2;
const DONE_ATTENTION = 32;
/** Ends the connection, as far as clients are concerned. */
const FATAL = 20;
const ORDINARY = 16;
const SERVER_NAME = 'gatehouse';
const MAX_WORDS = 2_000;

/** Words in an error of the protocol, as the whole answer to something. */
export function errorReply(number: number, words: string, isFatal: boolean): Buffer {
  const text = Buffer.from(words.slice(0, MAX_WORDS), 'utf16le');
  const name = Buffer.from(SERVER_NAME, 'utf16le');
  const body = Buffer.alloc(6 + 2 + text.length + 1 + name.length + 1 + 4);
  body.writeInt32LE(number, 0);
  body[4] = 1;
  body[5] = isFatal ? FATAL : ORDINARY;
  body.writeUInt16LE(text.length / 2, 6);
  text.copy(body, 8);
  body[8 + text.length] = name.length / 2;
  name.copy(body, 9 + text.length);
  body.writeInt32LE(1, body.length - 4);
  const head = Buffer.of(TOKEN.error, 0, 0);
  head.writeUInt16LE(body.length, 1);
  return packets(TYPE.reply, Buffer.concat([head, body, done(DONE_ERROR)]));
}

function done(status: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes[0] = TOKEN.done;
  bytes.writeUInt16LE(status, 1);
  return bytes;
}

/** To who wanted to stop something: it waits for that. */
export const STOPPED = packets(TYPE.reply, done(DONE_ATTENTION));
