/** Listens on this machine and carries each connection to somewhere else, both ways at the pace of the slower side. */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { containEvents, onBehalfOf } from '@gatehouse/tunnel/contain';
import { Failure } from '../runtime/failure.ts';
import type { ListenAddress, SocketPath } from './listen-address.ts';

export interface LocalListener {
  /** The path, or `HOST:PORT` with the port that was given where any would do. */
  address: string;
  close(): Promise<void>;
}

interface ListenerOptions {
  /** The port 0: any that is free. */
  listen: ListenAddress | SocketPath;
  connect: (socket: Socket) => Promise<Duplex>;
  /** A connection that did not come about, or broke; the others and those to come are not touched by it. */
  onFailure: (error: unknown) => void;
  /** What a program is told whose connection did not come about; undefined: it is reset. */
  refusal?: (error: unknown) => Buffer | undefined;
}

/** For a program to read why, and go. */
const REFUSED_MS = 5_000;

export async function serveLocal({ listen, connect, onFailure, refusal }: ListenerOptions): Promise<LocalListener> {
  const sockets = new Set<Socket>();
  // What it sends before the far side is there waits in the socket, and so with the program that sends it.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Programs hang up in the middle: that is told by 'close', and is nobody's failure.
    socket.on('error', () => socket.destroy());
    const peer = { where: 'local program', cut: () => socket.destroy() };
    containEvents(socket, peer);
    void onBehalfOf(peer, () =>
      connect(socket).then(
        (far) => join(socket, far, onFailure),
        (error: unknown) => {
          refuse(socket, refusal?.(error));
          onFailure(error);
        },
      ),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Failure('failed', whyNot(error, 'path' in listen ? listen.path : `${listen.host}:${listen.port}`))),
    );
    server.listen(listen, resolve);
  });
  return {
    address: addressOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function join(socket: Socket, far: Duplex, onFailure: (error: unknown) => void): void {
  containEvents(far, { where: 'gateway', cut: () => far.destroy() });
  if (socket.destroyed) return void far.destroy();
  far.on('error', (error) => {
    reset(socket);
    onFailure(error);
  });
  far.on('close', () => {
    if (!far.readableEnded) reset(socket);
  });
  socket.on('close', () => far.destroy());
  socket.pipe(far);
  far.pipe(socket);
}

/** What it says meanwhile is read: a socket that is closed with words unread is reset, and the program never sees why. */
function refuse(socket: Socket, words: Buffer | undefined): void {
  if (words === undefined || socket.destroyed) return void reset(socket);
  socket.end(words);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
  socket.on('end', () => socket.destroy()).on('close', () => clearTimeout(timer));
}

/** Not an end: the program must not take half an answer for a whole one. What came by a path knows no reset, and Node throws. */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

export function whyNot(error: Error, address: string): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `something else listens on ${address} already: give another port with --listen`;
  if (code === 'EACCES') return `this user may not listen on ${address}: give a port above 1023 with --listen`;
  return `cannot listen on ${address}: ${error.message}`;
}

export function addressOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') return String(address);
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
