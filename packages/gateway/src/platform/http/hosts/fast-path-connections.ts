/** The connections of a listener on which simple requests are answered without Node's own server: as that one keeps its own, they are swept when they are quiet and closed when it closes. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SimpleConnection, type SimpleConnectionOptions } from './fast-path-connection.ts';

const SWEEP_MS = 5_000;

/** By what a connection begins with, which is still to be read; false: it is not theirs. */
export type Elsewhere = (socket: Socket, first: Buffer) => boolean;

/** Puts them in front of a server; `event` is the one by which it hears of connections. `elsewhere` takes those that speak another protocol. */
export function serveSimply(
  server: Server,
  event: 'connection' | 'secureConnection',
  serve: SimpleConnectionOptions['serve'],
  { sweepMs = SWEEP_MS, elsewhere }: { sweepMs?: number; elsewhere?: Elsewhere | undefined } = {},
): void {
  const listeners = server.listeners(event) as ((socket: Socket) => void)[];
  const open = new Set<SimpleConnection>();
  const onClose = (connection: SimpleConnection) => void open.delete(connection);
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const handOver = (first: Buffer) => {
      if (elsewhere?.(socket, first)) return;
      for (const listener of listeners) listener.call(server, socket);
    };
    open.add(new SimpleConnection(socket, { serve, handOver, onClose }));
  });

  const sweep = () => {
    for (const connection of open) {
      if (connection.busy) continue;
      connection.quietMs += sweepMs;
      const most = connection.served > 0 ? server.keepAliveTimeout : server.headersTimeout;
      if (most > 0 && connection.quietMs >= most) connection.destroy();
    }
  };
  // A server that never listens is never closed either: a sweeper of its own would keep it, and all that it serves, for good.
  server.on('listening', () => {
    const sweeper = setInterval(sweep, sweepMs).unref();
    server.once('close', () => clearInterval(sweeper));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    for (const connection of [...open]) connection.closeSoon();
    closeIdle();
  };
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    for (const connection of [...open]) connection.destroy();
    closeAll();
  };
}
