/** What SFTP says about a file: size, owner, permissions and times, to and from its bytes. */
import type { Stats } from 'node:fs';
import { ATTRIBUTE } from '@gatehouse/contract/kinds/node/files/sftp';
import type { MessageReader } from './message-reader.ts';

const MAX_UINT32 = 0xffff_ffff;
const PERMISSION_BITS = 0o7777;

/** What a client wants set; absent: to be left alone. */
export interface WantedAttributes {
  size?: number;
  owner?: { uid: number; gid: number };
  permissions?: number;
  /** In seconds since 1970. */
  times?: { accessed: number; modified: number };
}

export function readAttributes(body: MessageReader): WantedAttributes {
  const flags = body.uint32();
  const wanted: WantedAttributes = {};
  if (flags & ATTRIBUTE.size) wanted.size = body.uint64();
  if (flags & ATTRIBUTE.owner) wanted.owner = { uid: body.uint32(), gid: body.uint32() };
  if (flags & ATTRIBUTE.permissions) wanted.permissions = body.uint32() & PERMISSION_BITS;
  if (flags & ATTRIBUTE.times) wanted.times = { accessed: body.uint32(), modified: body.uint32() };
  if (flags & ATTRIBUTE.extended) {
    // Nobody has named any we know; they end at the latest with the message.
    for (let left = body.uint32(); left > 0; left--) {
      body.bytes();
      body.bytes();
    }
  }
  return wanted;
}

export function attributesOf({ size, uid, gid, mode, atimeMs, mtimeMs }: Stats): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(ATTRIBUTE.size | ATTRIBUTE.owner | ATTRIBUTE.permissions | ATTRIBUTE.times, 0);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, size)), 4);
  bytes.writeUInt32BE(uid, 12);
  bytes.writeUInt32BE(gid, 16);
  bytes.writeUInt32BE(mode, 20);
  bytes.writeUInt32BE(secondsOf(atimeMs), 24);
  bytes.writeUInt32BE(secondsOf(mtimeMs), 28);
  return bytes;
}

/** Version 3 knows no time before 1970 and none after 2106; files do. */
function secondsOf(timeMs: number): number {
  return Math.min(Math.max(Math.floor(timeMs / 1000), 0), MAX_UINT32);
}
