/** A gateway in memory with one server, whose agent is in memory too, behind a real tunnel; and people who may use it. */
import type { Duplex } from 'node:stream';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { REPORT_TARGET } from '@gatehouse/contract/reach/agents/report';
import { SHELL_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { call } from '@gatehouse/contract/wire/client';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { expect, vi } from 'vitest';
import { putResources } from '../../src/inventory/resource-store.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import { type FakeShells, fakeShells } from './fake-shells.ts';

export interface ShellWorld {
  gateway: IdentityGateway;
  /** Manages everything. */
  admin: TestBrowser;
  /** Reaches the server `edge` as `ubuntu`, and as `ghost`, which does not exist there. */
  ann: TestBrowser;
  fakes: FakeShells;
  makeRole(name: string, spec: string): Promise<unknown>;
  close(): Promise<void>;
}

type Options = Pick<
  Parameters<typeof startIdentityGateway>[0] & object,
  'dataDir' | 'recordings' | 'shared' | 'rootLostMs'
> & {
  /** Instead of the shells in memory: an agent of whatever sort. */
  onShell?: (stream: Duplex) => void;
};

export async function startShellWorld({ onShell, ...options }: Options = {}): Promise<ShellWorld> {
  const gateway = await startIdentityGateway({ secondFactor: 'optional', ...options });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const makeRole = (name: string, spec: string) =>
    call(admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  await makeRole('dev', '{allow: {logins: [ubuntu, ghost], node_labels: {env: dev}}}');
  await gateway.addUser('ann', { roles: ['dev'] });
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
  const resource = {
    ...{ cluster: 'localhost', kind: 'node' as const, id: joined.id, name: 'edge', labels: { env: 'dev' } },
    ...{ spec: { type: 'agent', hostname: 'edge' }, owner: joined.id, expires: undefined },
  };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [resource], 0));
  const onOthers: OnStream = (offered, { target }) => {
    if (target === REPORT_TARGET) offered.accept().on('error', () => {});
    else offered.refuse('not_found', 'nothing');
  };
  const fakes = fakeShells(onOthers);
  const onStream: OnStream = (offered, request) => {
    if (!onShell || request.target !== SHELL_TARGET) return fakes.onStream(offered, request);
    const stream = offered.accept();
    stream.on('error', () => {});
    onShell(stream);
  };
  const agent = startAgent(joined, { url: tunnelUrl(gateway.app), onStream });
  await vi.waitFor(() => expect(gateway.connections.isConnected(joined.id)).toBe(true), { timeout: 5_000 });
  return {
    gateway,
    admin,
    ann: await gateway.signedIn('ann'),
    fakes,
    makeRole,
    async close() {
      await agent.close({ drainMs: 0 });
      await gateway.close();
    },
  };
}
