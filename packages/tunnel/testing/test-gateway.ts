/** A gateway of one door and no product: accepts tunnels and hands them out. */
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { type AcceptOptions, acceptTunnel } from '../src/accept-tunnel.ts';
import type { Tunnel } from '../src/gateway-tunnel.ts';
import type { TestCertificate } from './certificate.ts';

export interface TestGateway {
  url: string;
  port: number;
  /** Those not yet ended. */
  tunnels: Set<Tunnel>;
  /** Why upgrades came to nothing. */
  failures: unknown[];
  sockets: Set<Socket>;
  /** The next tunnel to be accepted, or the one there is. */
  tunnel(): Promise<Tunnel>;
  close(): Promise<void>;
}

export const quietLog = { debug() {}, info() {}, warn() {} };

interface TestGatewayOptions extends Partial<AcceptOptions> {
  certificate?: TestCertificate;
  port?: number;
  /** Stands for a balancer: false means the request is answered 404 as if the upgrade were unknown. */
  passes?: (request: IncomingMessage) => boolean;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { certificate, port = 0, passes = () => true, ...accept } = options;
  const server = certificate ? createTlsServer({ cert: certificate.cert, key: certificate.key }) : createServer();
  const tunnels = new Set<Tunnel>();
  const failures: unknown[] = [];
  const sockets = new Set<Socket>();
  const waiting: ((tunnel: Tunnel) => void)[] = [];

  const take = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!passes(request)) {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const tunnel = await acceptTunnel(request, socket, head, {
      authorize: () => ({ accept: true }),
      log: quietLog,
      now: () => performance.now(),
      ...accept,
    });
    tunnels.add(tunnel);
    void tunnel.closed.then(() => tunnels.delete(tunnel));
    for (const wake of waiting.splice(0)) wake(tunnel);
  };
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    take(request, socket, head).catch((error) => failures.push(error));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;

  return {
    url: `${certificate ? 'https://localhost' : 'http://127.0.0.1'}:${bound}${TUNNEL_PATH}`,
    port: bound,
    tunnels,
    failures,
    sockets,
    tunnel() {
      const [first] = tunnels;
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
