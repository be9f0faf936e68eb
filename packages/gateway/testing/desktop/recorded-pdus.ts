/**
 * What xrdp 0.9.21 drew in eleven seconds: 800 by 600 pixels, a terminal in which something was typed, then 1024 by 640. Kept as rows of
 * milliseconds (32 bits), type (8: 0 a PDU of the host, 1 where the pointer was), length (24) and bytes, little-endian.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RecordedPdu {
  ms: number;
  bytes: Buffer;
}

/** The first bytes of SHA-256 of its last picture in a browser, row by row as RGBA. */
export const LAST_PICTURE = '1f86746dd00ff1e6';
export const LAST_SIZE = { width: 1024, height: 640 };

export function recordedPdus(): { pdus: RecordedPdu[]; pointers: { ms: number; x: number; y: number }[] } {
  const file = readFileSync(join(import.meta.dirname, 'xrdp-remotefx.pdus'));
  const pdus: RecordedPdu[] = [];
  const pointers: { ms: number; x: number; y: number }[] = [];
  for (let at = 0; at + 8 <= file.length; ) {
    const ms = file.readUInt32LE(at);
    const bytes = file.subarray(at + 8, at + 8 + file.readUIntLE(at + 5, 3));
    if (file[at + 4] === 0) pdus.push({ ms, bytes });
    else pointers.push({ ms, x: bytes.readUInt16LE(0), y: bytes.readUInt16LE(2) });
    at += 8 + bytes.length;
  }
  return { pdus, pointers };
}
