/** Ports for the programs that tests start. One is nobody else's for as long as this process lives, whatever tests run beside it. */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that the system hands out by itself. It may give any of them to somebody else between our look and the start of the
 * program, or while a program that was killed starts again.
 */
const FIRST = 20_000;
const BEHIND_LAST = 32_000;
const TRIES = 1_000;

export async function freePort(): Promise<number> {
  for (let left = TRIES; left > 0; left--) {
    const port = randomInt(FIRST, BEHIND_LAST);
    const reserved = await reserve(port);
    if (reserved && (await isFree(port))) return port;
    reserved?.close();
  }
  throw new Error(`none of ${TRIES} ports from ${FIRST} on was free`);
}

/** The same number for UDP, which nobody here uses: the system gives it up with this process, however that ends. */
async function reserve(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
    return socket.unref();
  } catch {
    socket.close();
    return undefined;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
