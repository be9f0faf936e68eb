/** Looks at the first bytes of a connection to the public port: programs of databases go to a door of their own, all else is HTTPS as it came. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientHello, readClientHello } from './client-hello.ts';

export interface NativeDoor {
  /** Whether what a client names belongs here. */
  isMeant(hello: ClientHello): boolean;
  /** TLS begins with the next byte. `hello`: what it begins with; undefined: it was asked for as PostgreSQL does. */
  secure(socket: Socket, hello?: ClientHello): void;
  /** By the key that a client was given; nothing is answered. */
  cancel(key: Buffer): void;
  /** What a program of PostgreSQL hears that begins without TLS. */
  unencrypted(): Buffer;
}

const TLS_HANDSHAKE = 0x16;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const REQUEST_BYTES = 8;
const STARTUP_MAJOR = 3;
const MAX_BYTES = 16 * 1024;
const MAX_CANCEL_BYTES = 8 + 260;
const BEGIN_MS = 5_000;
/** One request for GSS, then one for TLS. */
const MAX_REFUSED = 2;

/** Of a listener that speaks TLS. */
export function lookAtFirstBytes(server: Server, door: () => NativeDoor | undefined): void {
  const [https] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (!https) throw new Error('a listener that listens to nothing');
  server.removeListener('connection', https);
  server.prependListener('connection', (socket: Socket) => {
    const native = door();
    if (native) look(socket, native, () => https.call(server, socket));
    else https.call(server, socket);
  });
}

function look(socket: Socket, door: NativeDoor, https: () => void): void {
  let held: Buffer = Buffer.alloc(0);
  let refused = 0;
  const settle = () => {
    clearTimeout(timer);
    socket.off('readable', read);
    socket.off('error', gone);
    socket.off('end', gone);
  };
  const gone = () => {
    settle();
    socket.destroy();
  };
  const handOn = (take: () => void) => {
    settle();
    if (held.length > 0) socket.unshift(held);
    take();
  };
  const secure = (hello?: ClientHello) => {
    // It may break before TLS listens to it: what nobody hears ends the process.
    socket.on('error', () => socket.destroy());
    door.secure(socket, hello);
  };
  // Whoever has begun TLS has the time that HTTPS gives; all others have said too little.
  const timer = setTimeout(() => (held[0] === TLS_HANDSHAKE ? handOn(https) : gone()), BEGIN_MS).unref();

  const read = () => {
    const piece: Buffer | null = socket.read();
    if (piece === null) return;
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (held[0] === TLS_HANDSHAKE) {
      const hello = readClientHello(held);
      if (hello === 'more' && held.length < MAX_BYTES) return;
      handOn(hello !== 'more' && door.isMeant(hello) ? () => secure(hello) : https);
    } else if (held[0] === 0) readRequest();
    else handOn(https);
  };

  /** As PostgreSQL has it: a length, and a number that says what is wanted. */
  function readRequest(): void {
    if (held.length < REQUEST_BYTES) return;
    const [length, code] = [held.readUInt32BE(0), held.readUInt32BE(4)];
    if (code === CANCEL_REQUEST && length > REQUEST_BYTES && length <= MAX_CANCEL_BYTES) {
      if (held.length < length) return;
      door.cancel(held.subarray(REQUEST_BYTES, length));
      leave();
      return;
    }
    if (code >>> 16 === STARTUP_MAJOR) {
      leave(door.unencrypted());
      return;
    }
    // Bytes behind it would be taken for what came inside TLS.
    const isWhole = length === REQUEST_BYTES && held.length === REQUEST_BYTES;
    if (isWhole && code === GSS_REQUEST && ++refused < MAX_REFUSED) {
      held = Buffer.alloc(0);
      socket.write('N');
    } else if (isWhole && code === SSL_REQUEST) {
      settle();
      socket.write('S');
      secure();
    } else gone();
  }

  /** Nothing more is expected, and whoever stays is not waited for. */
  function leave(words: Uint8Array = new Uint8Array()): void {
    settle();
    socket.on('error', () => socket.destroy());
    socket.end(words);
    socket.resume();
    setTimeout(() => socket.destroy(), BEGIN_MS).unref();
  }

  socket.on('readable', read);
  socket.once('error', gone);
  socket.once('end', gone);
}
