/** A real gateway process and a real agent process beside it, with a wire between them that can be cut, and somebody signed in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { ended, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { vi } from 'vitest';
import { localSend } from '../../src/doors/local-socket/local-send.ts';
import { signInToProcess, startAgentProcess } from './process-people.ts';
import type { Tab } from './terminal-client.ts';

export interface ProcessWorld {
  gateway: GatewayProcess;
  /** As the owner of the gateway. */
  owner: Send;
  /** An account that exists. */
  login: string;
  /** Signs ann in: reaches every server as that account. */
  tab: Tab;
  agentPid(): number;
  /** Tells the agent to stop; gives its exit code. */
  stopAgent(): Promise<number | null>;
  /** Cuts every connection between the agent and the gateway; it may come back at once. */
  cutAgent(): void;
  close(): Promise<void>;
}

export const SERVER = 'edge';

export interface ProcessWorldOptions {
  /** Further rights of ann's role. */
  allow?: string;
  /** Its options, as YAML. */
  options?: string;
  /** YAML of the agent. */
  agentConfig?: string;
}

export async function startProcessWorld(
  settings: Record<string, string> = {},
  { allow = '', options = '{}', agentConfig }: ProcessWorldOptions = {},
): Promise<ProcessWorld> {
  const users = await makeOsUsers(1);
  const login = users.names[0] as string;
  const gateway = await startGateway({ GATEHOUSE_LOG_LEVEL: 'warn', ...settings });
  const owner = localSend(gateway.dataDir);
  const spec = `{allow: {logins: [${login}, ghost], node_labels: {'*': '*'}${allow && `, ${allow}`}}, options: ${options}}`;
  await call(owner, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: ${spec}\n` },
  });
  const tab = await signInToProcess(gateway, 'ann', 'dev');
  const wire = await startWire(Number(new URL(gateway.origin).port));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const { id: token } = await call(owner, joinTokenRoutes.create, { body: { roles: ['Node'] } });
  const agent = startAgentProcess({
    port: wire.port,
    folder,
    token,
    name: SERVER,
    ...(agentConfig === undefined ? {} : { config: agentConfig }),
  });
  const listed = () => call(owner, nodeRoutes.list, { params: { clusterId: '-current-' }, query: {} as never });
  await vi.waitFor(
    async () => {
      if ((await listed()).items.length === 0) throw new Error('the agent has not reported');
    },
    { timeout: 30_000, interval: 200 },
  );
  return {
    gateway,
    owner,
    login,
    tab,
    agentPid: () => agent.pid ?? 0,
    stopAgent: () => ended(agent, 'SIGTERM'),
    cutAgent: wire.cut,
    async close() {
      await ended(agent, 'SIGTERM');
      wire.close();
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
      await users.remove();
    },
  };
}

/** Leads to a port of this machine, and can be cut. */
export async function startWire(target: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
