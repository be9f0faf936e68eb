/** Hears, among the first that a PostgreSQL server says to a client, the key by which that client cancels what it runs. */
import type { Duplex } from 'node:stream';

/** More than any server says of itself before it is ready. */
const MAX_BYTES = 64 * 1024;
/** Those of PostgreSQL 18 have up to 260. */
const MAX_KEY_BYTES = 1024;
const HEAD_BYTES = 5;
const KEY = 0x4b;
const READY = 0x5a;
const NOTHING: Buffer = Buffer.alloc(0);

/** Nothing is taken from whoever else reads it. Gives back how to forget what was found. */
export function hearCancelKey(server: Duplex, found: (key: Buffer) => () => void): () => void {
  const search = createSearch();
  let forget = () => {};
  const heard = (data: Buffer) => {
    const { key, isOver } = search(data);
    if (key) forget = found(key);
    if (isOver) server.off('data', heard);
  };
  server.on('data', heard);
  return () => forget();
}

/** Reads each byte once: another cluster may send them one by one. */
function createSearch(): (data: Buffer) => { key?: Buffer; isOver: boolean } {
  let head = NOTHING;
  /** Of the message under way, as far as it is kept. */
  let kept: Buffer[] | undefined;
  let left = 0;
  let seen = 0;

  return (data) => {
    for (let at = 0; at < data.length; ) {
      if (left > 0) {
        const piece = data.subarray(at, at + left);
        kept?.push(Buffer.from(piece));
        at += piece.length;
        left -= piece.length;
        if (left === 0 && kept) return { key: Buffer.concat(kept), isOver: true };
        continue;
      }
      const piece = data.subarray(at, at + HEAD_BYTES - head.length);
      head = Buffer.concat([head, piece]);
      at += piece.length;
      if (head.length < HEAD_BYTES) break;
      const [type] = head;
      left = head.readUInt32BE(1) - 4;
      head = NOTHING;
      if (type === READY || left < 0 || left > (type === KEY ? MAX_KEY_BYTES : MAX_BYTES)) return { isOver: true };
      kept = type === KEY ? [] : undefined;
    }
    seen += data.length;
    return { isOver: seen > MAX_BYTES };
  };
}
