/** TLS of the doors of programs: with what is served to people now, and with the certificates of `db login` asked for. Who shows none, or another's, is told why in the protocol they speak. */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import { containConnections } from '../../platform/std/contain-connections.ts';
import type { Log } from '../../platform/std/log.ts';

/** As PEM. */
export interface ServedCertificate {
  cert: string | Buffer;
  key: string | Buffer;
}

export interface DoorTlsDeps {
  dbAuthorities: Pick<DbAuthorities, 'trusted'>;
  /** Served to people; undefined: there is no TLS here, and so no door. */
  served(): ServedCertificate | undefined;
  log: Log;
}

export interface DoorTls {
  /** TLS begins with the next byte; where nothing comes of it, the connection is closed and nobody is told. */
  secure(socket: Socket, then: (client: TLSSocket) => void): void;
}

/** By which clients say that they are of PostgreSQL. */
export const POSTGRES_ALPN = 'postgresql';
/** Of SQL Server, where TLS comes before everything else. */
export const SQLSERVER_ALPN = 'tds/8.0';
const HANDSHAKE_MS = 10_000;

export function createDoorTls({ dbAuthorities, served, log }: DoorTlsDeps): DoorTls {
  let server: Server | undefined;
  let madeOf = '';
  /** What becomes of each connection, by its two ends. */
  const waiting = new Map<string, (client: TLSSocket) => void>();

  /** With what is served and believed now. */
  async function current(): Promise<Server> {
    const { cert, key } = served() ?? {};
    if (cert === undefined || key === undefined) throw new Error('no certificate to serve');
    const ca = await dbAuthorities.trusted('db_door');
    const stamp = JSON.stringify([String(cert), ca]);
    if (server && stamp === madeOf) return server;
    madeOf = stamp;
    server = createServer(
      {
        ...{ cert, key, ca, requestCert: true, handshakeTimeout: HANDSHAKE_MS, minVersion: 'TLSv1.2' },
        rejectUnauthorized: false,
        // What was believed once is not believed again without looking.
        secureOptions: constants.SSL_OP_NO_TICKET,
        ALPNProtocols: [POSTGRES_ALPN, SQLSERVER_ALPN],
      },
      (client) => {
        client.on('error', () => {});
        const then = waiting.get(endsOf(client));
        if (then) then(client);
        else client.destroy();
      },
    );
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    containConnections(server, 'database');
    return server;
  }

  return {
    secure(socket, then) {
      // Broken already: it has no ends any more.
      if (socket.destroyed || socket.remotePort === undefined) return void socket.destroy();
      const ends = endsOf(socket);
      waiting.set(ends, then);
      socket.once('close', () => void (waiting.get(ends) === then && waiting.delete(ends)));
      current().then(
        (now) => void (socket.destroyed || now.emit('connection', socket)),
        (error: unknown) => {
          log.warn({ error }, 'a program of a database cannot be served');
          socket.destroy();
        },
      );
    },
  };
}

/** No two connections have the same at one time. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
