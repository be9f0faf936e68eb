/** What a PostgreSQL client says first, heard on this machine: TLS is not needed to it, and who only cancels opens no session. */
import type { Socket } from 'node:net';

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const MAX_FIRST_BYTES = 10_000;
const MAX_REQUESTS = 4;

export type FirstWords = { wants: 'cancel'; key: Buffer } | { wants: 'session'; bytes: Buffer };

export async function readFirstWords(socket: Socket): Promise<FirstWords> {
  for (let count = 0; count < MAX_REQUESTS; count += 1) {
    const head = await take(socket, 4);
    const length = head.readUInt32BE(0);
    if (length < 8 || length > MAX_FIRST_BYTES)
      throw new Error('the program does not speak the protocol of PostgreSQL');
    const body = await take(socket, length - 4);
    const code = body.readUInt32BE(0);
    if (code === CANCEL_REQUEST) return { wants: 'cancel', key: body.subarray(4) };
    if (code !== SSL_REQUEST && code !== GSS_REQUEST) return { wants: 'session', bytes: Buffer.concat([head, body]) };
    socket.write('N');
  }
  throw new Error('the program asks for TLS again and again');
}

/**
 * Of a socket that is still; it is still again afterwards. All there is is taken and the rest given back: left in the socket, a word of
 * which a part has come is announced again and again, and the rest of it never gets its turn.
 */
async function take(socket: Socket, count: number): Promise<Buffer> {
  let taken: Buffer = Buffer.alloc(0);
  while (taken.length < count) {
    const bytes: Buffer | null = socket.read();
    if (bytes) taken = Buffer.concat([taken, bytes]);
    else if (socket.readableEnded || socket.destroyed) throw new Error('the program left');
    else await moreOrEnd(socket);
  }
  if (taken.length > count) socket.unshift(taken.subarray(count));
  return taken.subarray(0, count);
}

/** Leaves nobody waiting at the socket: a program that sends byte by byte comes by here thousands of times. */
function moreOrEnd(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('readable', done).off('end', done).off('close', done);
      resolve();
    };
    socket.on('readable', done).on('end', done).on('close', done);
  });
}
