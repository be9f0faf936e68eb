/**
 * A websocket that costs next to nothing: its bytes are looked at where the system put them. The client shares two processors
 * with what is measured, and `ssh`, with which that is compared, brings one in C.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const READ_BYTES = 256 * 1024;
const [TEXT, BINARY, CLOSE, PING] = [1, 2, 8, 9];

export interface LeanEvents {
  open(): void;
  /** A part of a binary message, from its byte `at` on; only valid until this returns. */
  binary(part: Buffer, at: number): void;
  text(message: string): void;
  close(): void;
}

export interface LeanSocket {
  send(message: string | Buffer): void;
  close(): void;
}

export function leanSocket(url: string, headers: Record<string, string>, events: LeanEvents): LeanSocket {
  const { hostname, port, pathname, search, host } = new URL(url);
  const read = frameReader((opcode, part, at, isLast) => {
    if (opcode === BINARY) events.binary(part, at);
    else if (opcode === TEXT) hearText(part, isLast);
    else if (opcode === PING && isLast) write(PING + 1, Buffer.alloc(0));
    else if (opcode === CLOSE) socket.end();
  });
  let text = '';
  const hearText = (part: Buffer, isLast: boolean) => {
    text += part.toString('latin1');
    if (!isLast) return;
    const message = Buffer.from(text, 'latin1').toString();
    text = '';
    events.text(message);
  };
  let isOpen = false;
  let head = '';
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback(length, buffer) {
        const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
        if (isOpen) read(bytes);
        else shake(bytes);
        return true;
      },
    },
  });
  function shake(bytes: Buffer): void {
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`no websocket: ${head.slice(0, 200)}`);
    isOpen = true;
    events.open();
    read(Buffer.from(head.slice(end + 4), 'latin1'));
  }
  function write(opcode: number, payload: Buffer): void {
    const mask = randomBytes(4);
    const { length } = payload;
    const start =
      length < 126
        ? Buffer.of(0x80 | opcode, 0x80 | length)
        : Buffer.of(0x80 | opcode, 0xfe, length >> 8, length & 255);
    const masked = payload.map((byte, index) => byte ^ (mask[index & 3] as number));
    socket.write(Buffer.concat([start, mask, masked]));
  }
  socket.on('error', () => {});
  socket.on('close', () => events.close());
  const lines = Object.entries({
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return {
    send: (message) => write(typeof message === 'string' ? TEXT : BINARY, Buffer.from(message)),
    close: () => void write(CLOSE, Buffer.of(0x03, 0xe8)),
  };
}

/** `at` counts within the message, over its frames. */
type TakePart = (opcode: number, part: Buffer, at: number, isLast: boolean) => void;

function frameReader(take: TakePart): (bytes: Buffer) => void {
  let head = Buffer.alloc(0);
  let left = 0;
  let opcode = 0;
  let isFinal = false;
  let at = 0;
  let isInside = false;
  return (bytes) => {
    for (let from = 0; from < bytes.length || (isInside && left === 0); ) {
      if (!isInside) {
        // Two bytes say how many there are.
        const need = head.length < 2 ? 2 : headBytes(head);
        if (head.length < need) {
          const more = bytes.subarray(from, from + need - head.length);
          head = Buffer.concat([head, more]);
          from += more.length;
          if (head.length < 2 || head.length < headBytes(head)) continue;
        }
        const [first = 0, second = 0] = head;
        isFinal = (first & 0x80) !== 0;
        if ((first & 15) !== 0) {
          opcode = first & 15;
          at = 0;
        }
        left = second === 126 ? head.readUInt16BE(2) : second === 127 ? Number(head.readBigUInt64BE(2)) : second;
        head = Buffer.alloc(0);
        isInside = true;
      }
      const part = bytes.subarray(from, from + left);
      from += part.length;
      left -= part.length;
      if (left === 0) isInside = false;
      take(opcode, part, at, isFinal && left === 0);
      at += part.length;
      if (left > 0) return;
    }
  };
}

function headBytes(head: Buffer): number {
  const length = head[1];
  return length === 126 ? 4 : length === 127 ? 10 : 2;
}
