/** A real gateway process and a real agent process beside it, with a wire between them that can be cut, and somebody signed in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, type Send } from '@gatehouse/contract/client';
import { joinTokenRoutes } from '@gatehouse/contract/join-tokens/join-tokens';
import { nodeRoutes } from '@gatehouse/contract/nodes/nodes';
import { CSRF_META } from '@gatehouse/contract/page-tags';
import { roleRoutes } from '@gatehouse/contract/roles/roles';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/tools/gateway-process';
import { makeOsUsers } from '@gatehouse/tools/os-users';
import { vi } from 'vitest';
import { localSend } from '../../local-socket/local-send.ts';
import type { Tab } from './terminal-client.ts';

const PASSWORD = 'correct horse battery staple';
const BEARER = /name="grv_bearer_token" content="([^"]*)"/;

export interface ProcessWorld {
  gateway: GatewayProcess;
  /** As the owner of the gateway. */
  owner: Send;
  /** An account that exists. */
  login: string;
  /** Signs ann in: reaches every server as that account. */
  tab: Tab;
  /** Cuts every connection between the agent and the gateway; it may come back at once. */
  cutAgent(): void;
  close(): Promise<void>;
}

export const SERVER = 'edge';

export async function startProcessWorld(): Promise<ProcessWorld> {
  const users = await makeOsUsers(1);
  const login = users.names[0] as string;
  const gateway = await startGateway({ GATEHOUSE_LOG_LEVEL: 'warn' });
  const owner = localSend(gateway.dataDir);
  const spec = `{allow: {logins: [${login}, ghost], node_labels: {'*': '*'}}}`;
  await call(owner, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: ${spec}\n` },
  });
  const tab = await signIn(gateway);
  const wire = await startWire(Number(new URL(gateway.origin).port));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const { id: token } = await call(owner, joinTokenRoutes.create, { body: { roles: ['Node'] } });
  const agent = startAgentProcess(wire.port, folder, token);
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

function startAgentProcess(port: number, folder: string, token: string): ChildProcess {
  const gateway = `http://127.0.0.1:${port}`;
  // The last makes it come back as quickly as the agent of the gateway's own machine.
  const args = ['agent', '--gateway', gateway, '--data-dir', folder, '--name', SERVER, '--end-when-alone', '5m'];
  return spawn(join(ROOT, 'gatehouse'), args, {
    cwd: ROOT,
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
}

async function startWire(target: number) {
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

/** Through the calls the invite page makes. */
async function signIn(gateway: GatewayProcess): Promise<Tab> {
  const added = await gateway.command('users', 'add', 'ann', '--roles=dev', '--format', 'json');
  if (added.code !== 0) throw new Error(`users add failed: ${added.stderr}`);
  const { inviteUrl } = JSON.parse(added.stdout) as { inviteUrl: string };
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), cookie, origin: gateway.origin };
    const reply = await fetch(`${gateway.origin}${path}`, { ...init, headers });
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return reply.text();
  };
  const csrf = new RegExp(`name="${CSRF_META}" content="([^"]*)"`).exec(await ask('/web'))?.[1] ?? '';
  await ask('/v1/webapi/users/password/token', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    body: JSON.stringify({ token: inviteUrl.split('/').at(-1), password: btoa(PASSWORD) }),
  });
  const bearer = BEARER.exec(await ask('/web'))?.[1] ?? '';
  const { token } = JSON.parse(Buffer.from(bearer, 'base64').toString()) as { token: string };
  return {
    url: `${gateway.origin.replace('http', 'ws')}/v1/webapi/sites/-current-/terminal`,
    headers: {
      origin: gateway.origin,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    token,
  };
}
