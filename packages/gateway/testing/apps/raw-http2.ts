/** Writes requests of HTTP/2 byte by byte, for tests of what no client would send. */
import { connect } from 'node:tls';

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const GOAWAY = 7;
const END_STREAM = 1;
const END_HEADERS = 4;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** The answers HPACK has a number for. */
const INDEXED = ['200', '204', '206', '304', '400', '404', '500'];
const FIRST_INDEXED = 0x88;
const MAX_MS = 10_000;
/** For what the other side makes of it. */
const AFTER_RESET_MS = 50;

/** Every header as a literal that stays out of the table, without Huffman codes. */
export function http2Headers(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const length = [Math.min(bytes.length, 127)];
  let left = bytes.length - 127;
  if (left >= 0) {
    for (; left >= 128; left >>= 7) length.push((left & 127) | 128);
    length.push(left);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export interface RawBody {
  data: string;
  /** It ends in the middle with this code, once the promise is kept; else with its data. */
  reset?: { code: number; after: Promise<unknown> };
}

/** Sends one request on a connection of its own; gives the status, `other` for a less usual one, or how it was refused. */
export function http2Request(
  to: { port: number; servername: string; ca: string },
  headers: Buffer,
  body?: RawBody,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, host: '127.0.0.1', ALPNProtocols: ['h2'] });
    const done = (how: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(how);
    };
    const timer = setTimeout(() => done('silence'), MAX_MS);
    let kept = Buffer.alloc(0);
    socket.on('error', () => done('closed'));
    socket.on('close', () => done('closed'));
    socket.on('data', (piece) => {
      kept = Buffer.concat([kept, piece]);
      while (kept.length >= 9 && kept.length >= 9 + kept.readUIntBE(0, 3)) {
        const payload = kept.subarray(9, 9 + kept.readUIntBE(0, 3));
        const type = kept[3];
        kept = kept.subarray(9 + payload.length);
        if (type === HEADERS) done(INDEXED[payload[0]! - FIRST_INDEXED] ?? 'other');
        else if (type === RST_STREAM) done('reset');
        else if (type === GOAWAY) done('goaway');
      }
    });
    socket.on('secureConnect', () => {
      const isEnd = body ? 0 : END_STREAM;
      socket.write(PREFACE, 'latin1');
      socket.write(frame(SETTINGS, 0, 0));
      socket.write(frame(HEADERS, END_HEADERS | isEnd, 1, headers));
      if (!body) return;
      const { data, reset } = body;
      socket.write(frame(DATA, reset ? 0 : END_STREAM, 1, Buffer.from(data, 'latin1')));
      void reset?.after.then(() => {
        const code = Buffer.alloc(4);
        code.writeUInt32BE(reset.code);
        socket.write(frame(RST_STREAM, 0, 1, code));
        setTimeout(done, AFTER_RESET_MS, 'reset by the client');
      });
    });
  });
}
