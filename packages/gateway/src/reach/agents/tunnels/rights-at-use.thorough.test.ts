/** Agents that are removed, locked or changed at the wrong moment: while they shake hands, or after they have said farewell. */

import type { Duplex } from 'node:stream';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { type OnStream, serveStreams } from '@gatehouse/tunnel/agent-session';
import { dialGateway } from '@gatehouse/tunnel/dial/dial-gateway';
import { signerOf } from '@gatehouse/tunnel/handshake/agent-key';
import { TUNNEL_LIMITS } from '@gatehouse/tunnel/tunnel-limits';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { type JoinedAgent, join, newJoinToken, startAgent, tunnelUrl } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const log = { debug() {}, info() {}, warn() {} };
let gateway: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => gateway.close());

let machines = 0;
async function joined(): Promise<JoinedAgent> {
  machines += 1;
  return join(gateway.send, { token: await newJoinToken(admin.send), name: `machine-${machines}` });
}

const lock = (agent: string) =>
  call(admin.send, lockRoutes.create, { params: { clusterId: '-current-' }, body: { targets: { agent } } });
const remove = ({ id }: JoinedAgent) => call(admin.send, agentRoutes.remove, { params: { id } });

/** Not `once`: being cut is an error first. */
const closeOf = (stream: Duplex) => new Promise((resolve) => stream.on('error', () => {}).on('close', resolve));

const TAKEAWAYS: [string, (agent: JoinedAgent) => Promise<unknown>][] = [
  ['locked by its id', ({ id }) => lock(id)],
  ['locked by its name', ({ name }) => lock(name)],
  ['removed', remove],
];

const echo: OnStream = (offered, { target }) => {
  const stream = offered.accept().on('error', () => {});
  if (target === 'echo') stream.pipe(stream);
};

test.each(TAKEAWAYS)('an agent that is %s while it shakes hands is not let in', async (_, takeAway) => {
  const agent = await joined();
  const { signal } = new AbortController();
  const hello = { version: '1', hostname: 'x', instanceId: 'i', offers: {} };
  const url = new URL(tunnelUrl(gateway.app));
  // Let in by the gateway, which waits for it to serve its first stream.
  const link = await dialGateway({ url, trust: {}, signer: signerOf(agent.key), hello, transport: 'upgrade', signal });
  onTestFinished(() => void link.stream.destroy());
  const closed = closeOf(link.stream);
  await takeAway(agent);
  await gateway.access.refreshLocks();
  await serveStreams(link, { onStream: echo, limits: TUNNEL_LIMITS, log, now: () => performance.now(), signal });

  await closed;
  expect(gateway.connections.isConnected(agent.id)).toBe(false);
  await expect(gateway.connections.open(agent.id, 'echo')).rejects.toThrow();
});

test.each(TAKEAWAYS)(
  'an agent that said farewell for an hour and is %s loses its streams at once',
  async (_, takeAway) => {
    const agent = await joined();
    const started = startAgent(agent, { url: tunnelUrl(gateway.app) });
    await vi.waitFor(() => expect(gateway.connections.isConnected(agent.id)).toBe(true), { timeout: 5_000 });
    const stream = await gateway.connections.open(agent.id, 'echo');
    const ended = closeOf(stream.resume());
    const closing = started.close({ reason: 'later', drainMs: 3_600_000 });
    await vi.waitFor(() => expect(gateway.connections.isConnected(agent.id)).toBe(false), { timeout: 5_000 });
    expect(stream.destroyed).toBe(false);

    const began = performance.now();
    await takeAway(agent);
    await ended;

    expect(performance.now() - began).toBeLessThan(SOON_MS);
    await closing;
  },
);

test('an agent that joins anew while it shakes hands is held to what it is now', async () => {
  const agent = await joined();
  const { signal } = new AbortController();
  const hello = { version: '1', hostname: 'x', instanceId: 'i', offers: {} };
  const url = new URL(tunnelUrl(gateway.app));
  const link = await dialGateway({ url, trust: {}, signer: signerOf(agent.key), hello, transport: 'upgrade', signal });
  onTestFinished(() => void link.stream.destroy());
  await gateway.storage.db.updateTable('agent').set({ name: 'renamed' }).where('id', '=', agent.id).execute();
  await lock('renamed');
  const closed = closeOf(link.stream);
  await serveStreams(link, { onStream: echo, limits: TUNNEL_LIMITS, log, now: () => performance.now(), signal });

  await closed;
  expect(gateway.connections.isConnected(agent.id)).toBe(false);
});
