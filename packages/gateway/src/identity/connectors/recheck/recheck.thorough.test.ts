/** People who lose groups, leave, or are not heard of any more at their provider lose what it gave them here. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const ROLES = [
  { claim: 'groups', value: 'staff', roles: ['access'] },
  { claim: 'groups', value: 'ops', roles: ['auditor'] },
];
let gateway: SsoGateway;
let ann: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  await gateway.save({ claims_to_roles: ROLES });
  ann = gateway.browser();
  await gateway.signIn(ann, 'ann', { isFresh: true });
  await ann.open();
});
afterEach(() => gateway.close());

const HOUR = 3_600_000;
const rolesOf = async () => {
  await gateway.admin.open();
  return (await call(gateway.admin.send, userRecordRoutes.get, { params: { username: 'ann@acme.example' } })).roles;
};
/** By the cookie: bearers run out while the clock is moved. */
const isSignedIn = async () => (await ann.open()) !== undefined;
/** Lets it be due now: the provider lives by the machine's clock, and would not be believed a quarter of an hour later. */
async function recheck() {
  const { db } = gateway.storage;
  await db
    .updateTable('user_identity')
    .set({ next_recheck: gateway.clock.now - 1 })
    .execute();
  await round();
}
async function round(afterMs = 0) {
  gateway.clock.advance(afterMs);
  await gateway.rechecks.runNow();
  await gateway.settled();
}
const codes = async () => (await gateway.events()).map(({ code }) => code);

test('a group that was taken away is gone within the recheck, and the sign-in goes on', async () => {
  expect(await rolesOf()).toEqual(['access', 'auditor']);
  gateway.world.account('ann').groups = ['ops'];

  await recheck();

  expect(await rolesOf()).toEqual(['auditor']);
  expect(await isSignedIn()).toBe(true);
});

test('nobody is asked about before the time', async () => {
  const before = gateway.world.asked.length;
  await round(10 * 60_000);

  expect(gateway.world.asked).toHaveLength(before);
});

test('whoever is asked about more often from now on is asked about that much sooner', async () => {
  const dueIn = async () => {
    const { next_recheck } = await gateway.storage.db
      .selectFrom('user_identity')
      .select('next_recheck')
      .executeTakeFirstOrThrow();
    return ((next_recheck ?? 0) - gateway.clock.now) / 60_000;
  };
  const askEvery = async (every: string) => {
    await gateway.admin.open();
    const content = gateway.document({ claims_to_roles: ROLES, recheck: every });
    await call(gateway.admin.send, oidcConnectorRoutes.update, { params: { name: 'okta' }, body: { content } });
  };
  expect(await dueIn()).toBeGreaterThan(13);
  await askEvery('5m');
  const sooner = await dueIn();

  expect(sooner).toBeGreaterThan(4.4);
  expect(sooner).toBeLessThanOrEqual(5);
  await askEvery('1h');
  expect(await dueIn()).toBe(sooner);
});

test('who is to be asked about again while the provider answers is asked about again', async () => {
  const dueNow = async () => {
    const { db } = gateway.storage;
    await db.updateTable('user_identity').set({ next_recheck: gateway.clock.now }).execute();
  };
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { asked } = gateway.world;
  const before = asked.length;
  gateway.world.faults = { held: { at: '/token', until } };
  await dueNow();
  const first = gateway.rechecks.runNow();
  await expect.poll(() => asked.slice(before)).toContain('POST /token');
  await dueNow();
  release();
  await first;
  gateway.world.account('ann').groups = ['ops'];

  await round();

  expect(await rolesOf()).toEqual(['auditor']);
});

test('a connector that is edited while the provider answers loses nobody: what they are asked about with next is kept', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { asked } = gateway.world;
  const before = asked.length;
  gateway.world.faults = { held: { at: '/token', until } };
  const first = recheck();
  await expect.poll(() => asked.slice(before)).toContain('POST /token');
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ claims_to_roles: ROLES, display: 'Acme' }) },
  });
  release();
  await first;
  gateway.world.account('ann').groups = ['ops'];

  // Asked by the rules of before, it counts for nothing but that: they are asked about again at once.
  await round();

  expect(await rolesOf()).toEqual(['auditor']);
  expect(await isSignedIn()).toBe(true);
});

test('whoever has lost the last role is signed out', async () => {
  gateway.world.account('ann').groups = [];

  await recheck();

  expect(await isSignedIn()).toBe(false);
  expect(await codes()).toContain('GH152I');
});

test('whoever is gone at the provider is signed out', async () => {
  await gateway.world.withdraw('ann');

  await recheck();

  expect(await isSignedIn()).toBe(false);
});

test('a provider that does not answer ends nothing until it has not confirmed for too long, and then tokens too', async () => {
  const before = await call(gateway.admin.send, identityRoutes.ofUser, { params: { username: 'ann@acme.example' } });
  expect(before[0]).toMatchObject({ connector: 'okta', nextRecheck: expect.any(String) });
  gateway.world.faults.status = { at: '/', status: 503 };

  await recheck();
  await round(2 * 60_000);

  expect(await isSignedIn()).toBe(true);
  await gateway.admin.open();
  const [identity] = await call(gateway.admin.send, identityRoutes.ofUser, {
    params: { username: 'ann@acme.example' },
  });
  expect(identity?.trouble).toBeTruthy();
  // Told when it begins, not each time.
  expect((await codes()).filter((code) => code === 'GH153W')).toHaveLength(1);

  await gateway.storage.db
    .updateTable('sign_in')
    .set({ expires: gateway.clock.now + 30 * 24 * HOUR })
    .execute();
  await round(8 * 24 * HOUR);
  const alive = await gateway.storage.db
    .selectFrom('sign_in')
    .select('id')
    .where('user', '=', 'ann@acme.example')
    .where('ended', 'is', null)
    .execute();
  expect(alive).toEqual([]);
});

test('people who are not here are not asked about', async () => {
  await gateway.storage.db.updateTable('sign_in').set({ ended: 1, ended_reason: 'signed_out' }).execute();
  const before = gateway.world.asked.length;

  await recheck();

  expect(gateway.world.asked).toHaveLength(before);
});

test('nobody ends their rechecks by linking themselves to what they are linked to', async () => {
  const { url } = await call(ann.send, identityRoutes.linkOwn, { body: { connector: 'okta' } });
  gateway.world.signInAs('ann');
  let at = (await gateway.world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(ann, at);
  expect(at).toContain('can be closed');
  gateway.world.account('ann').groups = [];

  await recheck();

  expect(await isSignedIn()).toBe(false);
});

test('the last administrator who has a way of their own stays one, whatever the provider says', async () => {
  const { db } = gateway.storage;
  await db
    .updateTable('user')
    .set({ password_hash: 'x', roles: JSON.stringify(['editor']) })
    .where('name', '=', 'ann@acme.example')
    .execute();
  await db.deleteFrom('user').where('name', '=', 'admin').execute();

  // Twice: what it was asked with the first time is used up, though what it says is not made true.
  await recheck();
  await recheck();

  const { roles } = await db
    .selectFrom('user')
    .select('roles')
    .where('name', '=', 'ann@acme.example')
    .executeTakeFirstOrThrow();
  expect(JSON.parse(roles)).toEqual(['editor']);
  const { trouble } = await db.selectFrom('user_identity').select('trouble').executeTakeFirstOrThrow();
  expect(trouble).toContain('last administrator');
});

test('a provider that never answers keeps those of other providers waiting for nothing', async () => {
  const { db } = gateway.storage;
  const silent = new Set<Socket>();
  const server = createServer((socket) => silent.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await gateway.admin.open();
  await gateway.save({ issuer_url: `http://127.0.0.1:${port}` }, 'silent');
  const { connector: _, ...row } = await db.selectFrom('user_identity').selectAll().executeTakeFirstOrThrow();
  const many = Array.from({ length: 40 }, (__, at) => ({ ...row, connector: 'silent', subject: `s-${at}` }));
  await db
    .insertInto('user_identity')
    .values(many.map((each) => ({ ...each, next_recheck: gateway.clock.now - 1_000 })))
    .execute();
  await db
    .updateTable('user_identity')
    .set({ next_recheck: gateway.clock.now - 1 })
    .where('connector', '=', 'okta')
    .execute();
  gateway.world.account('ann').groups = ['ops'];
  const running = gateway.rechecks.runNow();
  try {
    await expect.poll(() => silent.size).toBeGreaterThan(0);
    await expect.poll(rolesOf, { timeout: 3_000 }).toEqual(['auditor']);
    expect(silent.size).toBeLessThanOrEqual(8);
  } finally {
    server.close();
    for (const socket of silent) socket.destroy();
    await running;
  }
});
