/** People and agents at a real gateway process, for tests and benchmarks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CSRF_META } from '@gatehouse/contract/console/page-tags';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { cleanEnvironment, type GatewayProcess, ROOT } from '@gatehouse/testkit/gateway-process';
import { localSend } from '../../src/doors/local-socket/local-send.ts';
import type { Tab } from './terminal-client.ts';

const PASSWORD = 'correct horse battery staple';
const BEARER = /name="grv_bearer_token" content="([^"]*)"/;

/** Makes a user and signs them in, through the calls the invite page makes. */
export async function signInToProcess(gateway: GatewayProcess, name: string, roles: string): Promise<Tab> {
  const { inviteUrl } = await call(localSend(gateway.dataDir), userRoutes.invite, {
    body: { name, roles: roles.split(',') },
  });
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as Record<string, string>), cookie: cookie(), origin: gateway.origin };
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
    headers: { origin: gateway.origin, cookie: cookie() },
    token,
  };
}

export interface AgentProcessOptions {
  /** Of the gateway, or of a wire to it. */
  port: number;
  /** Where a proxy that ends TLS stands on that port: the file of its authority. */
  ca?: string;
  folder: string;
  token: string;
  name: string;
  /** YAML: what it may dial, and more. */
  config?: string;
}

export function startAgentProcess({ port, ca, folder, token, name, config }: AgentProcessOptions): ChildProcess {
  const gateway = ca === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  // The last makes it come back as quickly as the agent of the gateway's own machine.
  const args = ['agent', '--gateway', gateway, '--data-dir', folder, '--name', name, '--end-when-alone', '5m'];
  if (ca !== undefined) args.push('--ca', ca);
  if (config !== undefined) {
    const file = join(folder, 'agent.yaml');
    writeFileSync(file, config);
    args.push('--config', file);
  }
  return spawn(join(ROOT, 'gatehouse'), args, {
    cwd: ROOT,
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
}
