/** Hears, among the first that a PostgreSQL server says to a client, the key by which that client cancels what it runs. */
import type { Duplex } from 'node:stream';

/** More than any server says of itself before it is ready. */
const MAX_BYTES = 64 * 1024;
const HEAD_BYTES = 5;
const KEY = 0x4b;
const READY = 0x5a;

/** Nothing is taken from whoever else reads it. Gives back how to forget what was found. */
export function hearCancelKey(server: Duplex, found: (key: Buffer) => () => void): () => void {
  let kept: Buffer = Buffer.alloc(0);
  let forget = () => {};
  const heard = (data: Buffer) => {
    kept = Buffer.concat([kept, data]);
    const { key, isOver } = keyIn(kept);
    if (key) forget = found(key);
    if (key || isOver || kept.length > MAX_BYTES) server.off('data', heard);
  };
  server.on('data', heard);
  return () => forget();
}

function keyIn(bytes: Buffer): { key?: Buffer; isOver: boolean } {
  let at = 0;
  while (bytes.length - at >= HEAD_BYTES) {
    const type = bytes[at];
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    if (type === READY || end < at + HEAD_BYTES || end > MAX_BYTES) return { isOver: true };
    if (end > bytes.length) break;
    if (type === KEY) return { key: Buffer.from(bytes.subarray(at + HEAD_BYTES, end)), isOver: true };
    at = end;
  }
  return { isOver: false };
}
