/** Which gateway another takes for dead, on a real PostgreSQL: never one that lives, whatever its clock says and whoever was without the database. */
import { randomUUID } from 'node:crypto';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import type { KyselyPlugin, QueryId } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CLUSTER, serverOf } from '../../../testing/sessions/many-sessions.ts';
import { storeDatabase } from '../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../testing/storage/test-folder.ts';
import { createAccess } from '../../access/create-access.ts';
import { insertRole } from '../../access/role-store.ts';
import { createDenials } from '../../identity/explain/record-denials.ts';
import { insertUser } from '../../identity/stores/user-store.ts';
import { putResources } from '../../inventory/resource-store.ts';
import { nodeSessionTeller } from '../../kinds/node/session-audit.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { createGateways } from './gateways.ts';
import type { HostedSession } from './hosted-session.ts';
import { createOwners } from './owners.ts';
import { createSessionAudit } from './session-audit.ts';
import { createSessionHost, type SessionHost } from './session-host.ts';

const BEAT_MS = 2_000;
const SKEW_MS = 30_000;
let postgres: TestPostgres;
let storage: Storage;
/** How often somebody has said that they live, or has failed to. */
let beats = 0;
let isAway = false;

const underWay = new WeakSet<QueryId>();
const watched: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    const isBeat = node.kind === 'InsertQueryNode' && JSON.stringify(node.into).includes('"gateway"');
    if (isBeat) underWay.add(queryId);
    if (!isBeat || !isAway) return node;
    beats += 1;
    throw new Error('the database is away');
  },
  async transformResult({ result, queryId }) {
    if (underWay.has(queryId)) beats += 1;
    return result;
  },
};
const db = () => storage.db.withPlugin(watched);

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const url = await storeDatabase(postgres);
  storage = await openSuiteStorage(url);
  // What looks at the time of the process is driven by hand; the database and its clock are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  isAway = false;
});
afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
});

/** Lets the processes grow older, with their beats. */
async function pass(ms: number, processes: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += BEAT_MS) {
    const before = beats;
    vi.advanceTimersByTime(BEAT_MS);
    while (beats < before + processes) await new Promise((resolve) => setTimeout(resolve, 5));
    // What waited for the answer has it, too: one that is still under way would swallow the next.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function startHost(skewMs: number): Promise<SessionHost> {
  const now = () => Date.now() + skewMs;
  const feed = { subscribe: () => ({ close() {} }), silentMs: () => 0, settled: async () => {} };
  const parts = { db: db(), feed, log: silentLog, now, clusterName: CLUSTER };
  const log = createAudit({ now, clusterName: CLUSTER, chain: `skew ${skewMs}` });
  const access = await createAccess({ ...parts, audit: log });
  const owners = createOwners({ ...parts, access });
  const kinds = { node: { audit: nodeSessionTeller(log) } };
  const audit = createSessionAudit(log, kinds);
  const signIns = { onSignInEnd: () => () => {} };
  const events = { settled: async () => {} };
  const denials = createDenials({ ...parts, access });
  return createSessionHost({ ...parts, access, owners, audit, denials, kinds: {}, signIns, events });
}

async function open(host: SessionHost, name: string): Promise<HostedSession> {
  const who = { username: name, signInId: randomUUID() };
  const now = async () => (await host.owner({ user: name, signInId: who.signInId })) as Actor;
  const action = { type: 'connect', kind: 'node', resource: serverOf(1), login: 'root' } as const;
  return host.open({
    ...{ caller: { ...who, now }, action, address: '127.0.0.1', requestId: 'r', call: 'terminal' },
    ...{ request: randomUUID(), size: { cols: 80, rows: 24 }, agent: undefined, recorded: false },
    proveFactor: async () => {},
  });
}

test('gateways whose clocks are half a minute apart end no session of each other', async () => {
  await storage.db.transaction().execute(async (tx) => {
    const content =
      'kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [root], node_labels: {env: dev}}}\n';
    await insertRole(tx, { name: 'dev', content, by: 'test', now: 0 });
    await putResources(tx, [serverOf(1)], 0);
    for (const name of ['ann', 'ben'])
      await insertUser(tx, { name, roles: ['dev'], traits: {}, created: 0, createdBy: 'test' });
  });
  const hosts = [await startHost(0), await startHost(SKEW_MS)] as const;
  const sessions = [await open(hosts[0], 'ann'), await open(hosts[1], 'ben')];
  await pass(14_000, 2);

  for (const host of hosts) expect(await host.orphans()).toEqual([]);
  await pass(6_000, 2);
  expect(sessions.map(({ end }) => end)).toEqual([undefined, undefined]);
  // They do look: one that has said nothing for long by the database's clock is found.
  await storage.db
    .updateTable('gateway')
    .set({ seen: Date.now() - 60_000 })
    .execute();
  expect((await hosts[1].orphans()).map(({ user }) => user)).toEqual(['ann']);
  expect((await hosts[0].orphans()).map(({ user }) => user)).toEqual(['ben']);
  for (const host of hosts) await host.close();
});

test('a gateway takes nobody for dead before its database has answered for ten seconds, nor after an outage', async () => {
  const gateways = createGateways({ db: db(), log: silentLog });
  await gateways.present();
  expect(gateways.isSteady()).toBe(false);
  await pass(8_000, 1);
  expect(gateways.isSteady()).toBe(false);
  await pass(4_000, 1);
  expect(gateways.isSteady()).toBe(true);

  isAway = true;
  await pass(10_000, 1);
  expect(gateways.isSteady()).toBe(false);
  isAway = false;
  await pass(BEAT_MS, 1);
  // It answers again; the others may not have come to say that they live.
  expect(gateways.isSteady()).toBe(false);
  await pass(8_000, 1);
  expect(gateways.isSteady()).toBe(false);
  await pass(4_000, 1);
  expect(gateways.isSteady()).toBe(true);
  await gateways.close();
});
