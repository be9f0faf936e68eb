/** A gateway with two doors and no product: lets agents join, accepts their tunnels, and can be lost and come back. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { acceptTunnel } from '@gatehouse/tunnel/accept-tunnel';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import type { Authorize } from '@gatehouse/tunnel/handshake/challenge-agent';
import { silentLog } from '../src/runtime/log.ts';

export interface FakeGateway {
  url: string;
  port: number;
  /** Bodies of the joins. */
  joins: { token: string; key: string; name: string }[];
  /** The tunnel there is, or the next. */
  tunnel(): Promise<Tunnel>;
  /** As `kill -9` does it: every connection is cut. */
  close(): Promise<void>;
}

interface FakeGatewayOptions {
  /** The same again after a loss. */
  port?: number;
  authorize?: Authorize;
}

export async function startFakeGateway({ port = 0, authorize }: FakeGatewayOptions = {}): Promise<FakeGateway> {
  const joins: FakeGateway['joins'] = [];
  const sockets = new Set<Socket>();
  let current: Tunnel | undefined;
  let waiting: ((tunnel: Tunnel) => void)[] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === agentRoutes.joinChallenge.path) return void response.end(JSON.stringify({ nonce: 'n' }));
    joins.push(agentRoutes.join.body.parse(JSON.parse(Buffer.concat(chunks).toString())));
    response.end(JSON.stringify({ agentId: 'agent-1', cluster: 'test', labels: { env: 'test' } }));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const tunnel = await acceptTunnel(request, socket, head, {
      authorize: authorize ?? (() => ({ accept: true })),
      log: silentLog,
      now: () => performance.now(),
    });
    current = tunnel;
    void tunnel.closed.then(() => {
      if (current === tunnel) current = undefined;
    });
    for (const wake of waiting.splice(0)) wake(tunnel);
  };
  server.on('upgrade', (request, socket, head) => void accept(request, socket, head).catch(() => {}));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    joins,
    tunnel: () => (current ? Promise.resolve(current) : new Promise((resolve) => waiting.push(resolve))),
    async close() {
      waiting = [];
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
