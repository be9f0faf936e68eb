/** TLS as TDS begins it: the handshake travels inside packets of its own, and everything behind it does not. */
import { Duplex } from 'node:stream';
import { malformed } from '../db-failure.ts';
import { HEAD_BYTES, packets, readHead, TYPE } from './packets.ts';

/** In TLS 1.2, what is no handshake any more; the newer one would hide where that begins. */
const APPLICATION_DATA = 23;
const ALERT = 21;
const MAX_WAITING_BYTES = 128 * 1024;
const NOTHING = Buffer.alloc(0);

export function tlsInPackets(bare: Duplex): Duplex {
  let isOut = false;
  let isIn = false;
  let rest: Buffer = NOTHING;

  /** What is inside what has come so far. */
  function unwrapped(piece: Buffer): Buffer {
    if (isIn) return piece;
    rest = Buffer.concat([rest, piece]);
    const inside: Buffer[] = [];
    while (rest.length > 0) {
      if (rest[0] === APPLICATION_DATA || rest[0] === ALERT) {
        isIn = true;
        inside.push(rest);
        rest = NOTHING;
        break;
      }
      if (rest.length < HEAD_BYTES) break;
      const { type, length } = readHead(rest);
      if (type !== TYPE.prelogin && type !== TYPE.reply) throw malformed('no TLS where TLS was agreed on');
      if (rest.length < length) break;
      inside.push(rest.subarray(HEAD_BYTES, length));
      rest = rest.subarray(length);
    }
    if (rest.length > MAX_WAITING_BYTES) throw malformed('a handshake that is too long');
    return Buffer.concat(inside);
  }

  const stream = new Duplex({
    read() {
      bare.resume();
    },
    write(piece: Buffer, _encoding, done) {
      isOut ||= piece[0] === APPLICATION_DATA;
      const bytes = isOut ? piece : packets(TYPE.prelogin, piece);
      if (bare.write(bytes)) done();
      else bare.once('drain', () => done());
    },
    final(done) {
      bare.end();
      done();
    },
    destroy(error, done) {
      bare.destroy();
      done(error);
    },
  });
  bare.on('data', (piece: Buffer) => {
    try {
      const inside = unwrapped(piece);
      if (inside.length > 0 && !stream.push(inside)) bare.pause();
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
  bare.on('end', () => stream.push(null));
  bare.on('close', () => stream.destroy());
  bare.on('error', (error) => stream.destroy(error));
  return stream;
}
