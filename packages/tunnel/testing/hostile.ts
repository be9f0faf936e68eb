/** Peers that do not play by the rules, and machines in the middle. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TUNNEL_UPGRADE } from '@gatehouse/contract/reach/tunnel/handshake';
import { openSocket, type Trust } from '../src/dial/open-socket.ts';
import { upgradeRaw } from '../src/dial/upgrade.ts';
import type { Link } from '../src/link.ts';
import type { TestCertificate } from './certificate.ts';

const never = new AbortController().signal;

/** An upgraded connection on which nothing has been said. */
export async function rawLink(url: string, trust: Trust = {}): Promise<Link> {
  const parsed = new URL(url);
  const link = await upgradeRaw(await openSocket(parsed, trust, never), parsed, never);
  link.stream.on('error', () => {});
  return link;
}

/** Resolves with how long the peer took to close. */
export function closedAfter(stream: Duplex): Promise<number> {
  const start = performance.now();
  stream.resume();
  return new Promise((resolve) => stream.once('close', () => resolve(performance.now() - start)));
}

export interface Running {
  port: number;
  close(): Promise<void>;
}

/** Ends the agent's TLS with a certificate the agent trusts, and passes every byte on to the gateway over its own. */
export async function startRelay(certificate: TestCertificate, gatewayUrl: string): Promise<Running> {
  const server = createTlsServer({ cert: certificate.cert, key: certificate.key });
  server.on('upgrade', async (_request, socket: Duplex) => {
    const { stream } = await rawLink(gatewayUrl, { ca: certificate.ca });
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TUNNEL_UPGRADE}\r\n\r\n`);
    join(socket, stream);
  });
  return listening(server);
}

/** A gateway that upgrades and then does as `speak` likes. */
export async function startFalseGateway(speak: (stream: Duplex) => void): Promise<Running> {
  const server = createHttpServer();
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.on('error', () => {});
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TUNNEL_UPGRADE}\r\n\r\n`);
    speak(socket);
  });
  return listening(server);
}

export interface Wire extends Running {
  /** From now on bytes vanish in both directions, and nobody is told. */
  goSilent(): void;
}

export async function startWire(targetPort: number): Promise<Wire> {
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    pairs.push([near, far]);
    join(near, far);
  });
  return {
    ...(await listening(server)),
    goSilent() {
      for (const [near, far] of pairs.splice(0)) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
  };
}

function join(near: Duplex, far: Duplex): void {
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
}

async function listening(server: ReturnType<typeof createServer>): Promise<Running> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
