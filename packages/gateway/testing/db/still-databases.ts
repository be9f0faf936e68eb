/** Servers that let everybody in as MySQL and Redis do, and then say as good as nothing; for tests of what comes before and after. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { OFFERED_TO_ALL } from '../../src/kinds/db/engine/mysql/capabilities.ts';
import { greetingOf } from '../../src/kinds/db/engine/mysql/greeting.ts';
import { packet } from '../../src/kinds/db/engine/mysql/packets.ts';

const METHOD = 'mysql_native_password';
const NONCE = Buffer.alloc(20, 65);
const GREETING = { version: '8.0.30', thread: 7, charset: 45, status: 2 };
const WELCOME = packet(2, Buffer.of(0, 0, 0, 2, 0, 0, 0));

interface StillDatabase {
  port: number;
  close(): void;
}

export function startStillMysql(): Promise<StillDatabase> {
  return started(
    createServer((socket) => {
      socket.write(greetingOf(GREETING, OFFERED_TO_ALL, METHOD, NONCE));
      socket.once('data', () => socket.write(WELCOME));
    }),
    'connection',
  );
}

/** With TLS, without which nobody tells it a password. */
export function startStillRedis(pair: { cert: string; key: string }): Promise<StillDatabase> {
  return started(
    createTlsServer(pair, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (piece: Buffer) => socket.write(piece.includes('HELLO') ? '*0\r\n' : '+OK\r\n'));
    }),
    'connection',
  );
}

async function started(server: Server, event: string): Promise<StillDatabase> {
  const sockets = new Set<Socket>();
  server.prependListener(event, (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
