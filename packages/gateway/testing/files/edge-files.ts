/** An agent called `edge` in a gateway, whose files never end, and people who may use them by many logins. */
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { expect, vi } from 'vitest';
import { putResources } from '../../src/inventory/resource-store.ts';
import { makeRole } from '../apps/app-world.ts';
import type { IdentityGateway } from '../identity-gateway.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import { serveEndlessFiles } from './endless-files.ts';
import { openFiles } from './files-client.ts';

/** What the role `dev` lets people in as. */
export const LOGINS = Array.from({ length: 30 }, (_, at) => `login-${at}`);
export const DEV = `allow: {logins: [${LOGINS.join(', ')}], node_labels: {env: dev}}`;

const serveFiles: OnStream = (offered, { target }) => {
  const stream = offered.accept().on('error', () => {});
  if (target === FILES_TARGET) serveEndlessFiles(stream);
};

export async function startEdgeFiles(gateway: IdentityGateway): Promise<{ admin: TestBrowser; agent: TestAgent }> {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.addUser('admin', { roles: ['editor', 'auditor'] });
  const admin = await gateway.signedIn('admin');
  await makeRole(admin, 'dev', `{${DEV}}`);
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
  const server = {
    ...{ cluster: 'localhost', kind: 'node' as const, id: joined.id, name: 'edge', labels: { env: 'dev' } },
    ...{ spec: { type: 'agent', hostname: 'edge' }, owner: joined.id, expires: undefined },
  };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [server], 0));
  const agent = startAgent(joined, { url: tunnelUrl(gateway.app), onStream: serveFiles });
  await vi.waitFor(() => expect(gateway.connections.isConnected(joined.id)).toBe(true), { timeout: 5_000 });
  return { admin, agent };
}

export const openEdge = (gateway: IdentityGateway, who: TestBrowser, login = LOGINS[0]!) =>
  openFiles(gateway.app, who, { server: 'edge', login });
