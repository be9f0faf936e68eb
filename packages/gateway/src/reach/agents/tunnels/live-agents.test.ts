import { randomUUID } from 'node:crypto';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import type { TunnelEnd } from '@gatehouse/tunnel/tunnel-error';
import { expect, test } from 'vitest';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { createAudit, GATEWAY_CHAIN } from '../../../platform/audit/emit.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { findAgent, insertAgent, noteConnected } from '../registry/agent-store.ts';
import { LiveAgents } from './live-agents.ts';

const CLUSTER = 'localhost';

function fakeTunnel() {
  const { promise, resolve } = Promise.withResolvers<TunnelEnd>();
  const closes: string[] = [];
  const tunnel = {
    hello: { version: '1.0.0', hostname: 'web-1', instanceId: randomUUID(), offers: {} },
    transport: 'upgrade',
    openStreams: 0,
    leaving: promise,
    closed: promise,
    open: () => Promise.reject(new Error('it serves nothing')),
    async close(reason: string) {
      closes.push(reason);
      resolve({ code: 'closed_here', reason, retry: true });
    },
  } as unknown as Tunnel;
  return { tunnel, closes };
}

function liveAgents(db: Storage['db']): LiveAgents {
  return new LiveAgents({
    db,
    access: { lockOnAgent: () => undefined },
    audit: createAudit({ now: Date.now, clusterName: CLUSTER, chain: GATEWAY_CHAIN }),
    announcer: { alive: async () => true, gone: async () => {} },
    takeReport: () => async () => ({ nextMs: 60_000, refused: [] }),
    sharedKeys: { watch: () => Promise.reject(new Error('the store does not answer')) },
    clusterName: CLUSTER,
    log: silentLog,
    now: Date.now,
    drainMs: 0,
  });
}

const given = {
  name: 'web-1',
  roles: ['Node' as const],
  labels: {},
  offers: {},
  group: '',
  matcherLabels: {},
  version: '1.0.0',
};
const made = { ...given, id: 'a1', cluster: CLUSTER, key: 'k', created: 0, createdBy: 'ann', address: '' };

test('an agent that another gateway holds is not told to be started', async () => {
  const storage = await openMemoryStorage();
  await storage.db.transaction().execute((tx) => insertAgent(tx, made));
  const elsewhere = { connection: 'c1', address: '10.0.0.1', version: '1.0.0', now: Date.now() };
  await noteConnected(storage.db, 'a1', elsewhere);
  const live = liveAgents(storage.db);

  const opening = live.open('a1', 'node', { metadata: {} } as never);

  await expect(opening).rejects.toMatchObject({
    message: "the agent 'web-1' is connected to another gateway of this cluster",
    fields: { next: expect.stringContaining('through the gateway the agent is connected to') },
  });
  await live.close();
  await storage.close();
});

test('a connection that another took the place of is closed, also while the store is away', async () => {
  const storage = await openMemoryStorage();
  const live = liveAgents(storage.db);
  await storage.db.transaction().execute((tx) => insertAgent(tx, made));
  const agent = (await findAgent(storage.db, CLUSTER, 'a1'))!;
  const [first, second] = [fakeTunnel(), fakeTunnel()];

  await live.admit(first.tunnel, agent, '10.0.0.1');
  await live.admit(second.tunnel, agent, '10.0.0.1');

  await expect.poll(() => first.closes).toEqual(['the agent connected anew']);
  expect(live.get('a1')?.tunnel).toBe(second.tunnel);
  await live.close();
  await storage.close();
});
