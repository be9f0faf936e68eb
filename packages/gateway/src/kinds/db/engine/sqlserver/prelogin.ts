/** What both sides of TDS say before anybody signs in: their versions, and whether TLS follows. */
import type { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';
import { HEAD_BYTES, packets, readHead, STATUS, TYPE } from './packets.ts';

const OPTION = { version: 0, encryption: 1, instance: 2, thread: 3, mars: 4, end: 0xff } as const;
export const ENCRYPTION = { off: 0, on: 1, notSupported: 2, required: 3 } as const;
const MAX_PACKETS = 16;

export interface Prelogin {
  /** Six bytes, as they came. */
  version: Buffer;
  encryption: number;
}

/** A whole message, of somebody who has not signed in: what is longer is not waited for. */
export async function takeMessage(source: ByteSource, maxBytes: number, signal: AbortSignal) {
  const parts: Buffer[] = [];
  let size = 0;
  for (let count = 0; ; count += 1) {
    const bytes = await source.take(HEAD_BYTES, signal);
    const head = readHead(bytes);
    size += head.length;
    if (size > maxBytes || count > MAX_PACKETS) throw malformed('a message before sign-in that is too long');
    const body = await source.take(head.length - HEAD_BYTES, signal);
    parts.push(body);
    if (head.status & STATUS.last) return { head, payload: Buffer.concat(parts) };
  }
}

export function readPrelogin(payload: Buffer): Prelogin {
  let version: Buffer | undefined;
  let encryption: number | undefined;
  for (let at = 0; payload[at] !== OPTION.end; at += 5) {
    if (at + 5 > payload.length) throw malformed('a greeting without an end');
    const [start, length] = [payload.readUInt16BE(at + 1), payload.readUInt16BE(at + 3)];
    const value = payload.subarray(start, start + length);
    if (value.length !== length) throw malformed('a greeting that is cut off');
    if (payload[at] === OPTION.version && length === 6) version = value;
    if (payload[at] === OPTION.encryption && length === 1) encryption = value[0];
  }
  if (!version || encryption === undefined) throw malformed('a greeting without a version');
  return { version, encryption };
}

/** Without MARS: several requests on one connection would be told as one. */
export function prelogin(type: typeof TYPE.prelogin | typeof TYPE.reply, { version, encryption }: Prelogin): Buffer {
  const options: [number, Buffer][] = [
    [OPTION.version, version],
    [OPTION.encryption, Buffer.of(encryption)],
    [OPTION.instance, Buffer.of(0)],
    [OPTION.thread, Buffer.alloc(type === TYPE.prelogin ? 4 : 0)],
    [OPTION.mars, Buffer.of(0)],
  ];
  let at = options.length * 5 + 1;
  const heads = options.map(([option, value]) => {
    const head = Buffer.of(option, 0, 0, 0, 0);
    head.writeUInt16BE(at, 1);
    head.writeUInt16BE(value.length, 3);
    at += value.length;
    return head;
  });
  return packets(type, Buffer.concat([...heads, Buffer.of(OPTION.end), ...options.map(([, value]) => value)]));
}
