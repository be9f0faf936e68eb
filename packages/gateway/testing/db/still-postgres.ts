/** A server that lets everybody in as PostgreSQL does, and then says nothing; for tests of what comes before and after. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { authenticationOk, message, numbers } from '../../src/kinds/db/engine/postgres/messages.ts';

const VERSION = 196_608;
const WELCOME = Buffer.concat([
  authenticationOk(),
  message('S', 'server_version', '15.0'),
  message('K', Buffer.from('12345678')),
  message('Z', Buffer.from('I')),
]);

export async function startStillPostgres(): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => socket.write(WELCOME));
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

/** What a client says first. */
export function postgresHello(user: string): Buffer {
  return message('', numbers(VERSION), 'user', user, Buffer.of(0));
}
