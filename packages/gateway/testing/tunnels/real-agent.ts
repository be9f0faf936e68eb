/** A real agent process on a real tunnel, and just enough of a gateway to reach through it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { ended } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { acceptTunnel } from '@gatehouse/tunnel/accept-tunnel';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import type { Resource } from '../../src/inventory/resource-store.ts';
import { createAgentDialer } from '../../src/reach/agents/dial-through.ts';
import { explainFailure } from '../../src/reach/agents/tunnels/explain-failure.ts';
import type { Reach } from '../../src/reach/reach.ts';
import { startAgentProcess } from '../sessions/process-people.ts';

export interface RealAgent {
  reach: Pick<Reach, 'toAgent'>;
  /** The server it is, as everything that reaches it is given it. */
  resource: Resource;
  /** An account that exists. */
  login: string;
  who: { user: string; session: string };
  pid: number;
  /** Cuts the tunnel; the agent comes back by itself. */
  cut(): void;
  close(): Promise<void>;
}

const NAME = 'web-1';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** `config` is the agent's own YAML. */
export async function startRealAgent({ config = '' }: { config?: string } = {}): Promise<RealAgent> {
  const users = await makeOsUsers(1);
  const sockets = new Set<Socket>();
  let tunnel = Promise.withResolvers<Tunnel>();
  const server = createServer(async (request, response) => {
    request.resume();
    await new Promise((resolve) => request.once('end', resolve));
    const isChallenge = request.url === agentRoutes.joinChallenge.path;
    response.end(JSON.stringify(isChallenge ? { nonce: 'n' } : { agentId: 'agent-1', cluster: 'test', labels: {} }));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const now = () => performance.now();
    const accepted = await acceptTunnel(request, socket, head, {
      authorize: () => ({ accept: true }),
      log: silent,
      now,
    });
    tunnel.resolve(accepted);
    void accepted.closed.then(() => {
      tunnel = Promise.withResolvers();
    });
  };
  server.on('upgrade', (request, socket, head) => void accept(request, socket, head).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const { port } = server.address() as AddressInfo;
  const agent = startAgentProcess({ port, folder, token: 't', name: NAME, config });
  await tunnel.promise;

  const dialer = createAgentDialer({
    isConnected: () => true,
    ping: async () => (await tunnel.promise).ping(),
    open: async (_, target, options) =>
      (await tunnel.promise).open(target, options).catch((error: unknown) => {
        throw explainFailure(error, NAME);
      }),
  });
  const resource = {
    id: 'agent-1',
    kind: 'node',
    name: NAME,
    owner: 'agent-1',
    labels: {},
    spec: { type: 'agent', hostname: NAME },
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    reach: { toAgent: ({ owner }, target, options) => dialer.open(owner, target, options) },
    resource: resource as unknown as Resource,
    login: users.names[0] as string,
    who: { user: 'ann', session: 's-1' },
    pid: agent.pid ?? 0,
    cut,
    async close() {
      await ended(agent, 'SIGTERM');
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
      await users.remove();
    },
  };
}
