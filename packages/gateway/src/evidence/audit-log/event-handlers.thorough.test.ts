import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import { checkpointBody } from '@gatehouse/contract/audit/checkpoint';
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { sessionEnded } from '@gatehouse/contract/audit/session-events';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { sampleFields } from '@gatehouse/contract/testing/audit/sample-event';
import { type CallError, call } from '@gatehouse/contract/wire/client';
import type { Route } from '@gatehouse/contract/wire/route';
import { pathFor } from '@gatehouse/contract/wire/route';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { isSignedBy, openSigner } from './signing.ts';
import { writeCheckpoint } from './write-checkpoints.ts';

let gateway: IdentityGateway;
afterEach(() => gateway?.close());

const HERE = { clusterId: '-current-' };
const routes = Object.entries(eventRoutes) as [string, Route][];

async function start() {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann', { roles: ['auditor', 'editor'] });
  await gateway.addUser('bob', { roles: ['access'] });
  return await gateway.signedIn('ann');
}

async function makeRole(name: string, rules: string) {
  const ann = await gateway.signedIn('ann');
  const content = `kind: role\nversion: v6\nmetadata: { name: ${name} }\nspec: { allow: { rules: ${rules} } }\n`;
  await call(ann.send, roleRoutes.create, { body: { content } });
}

async function endSession(participants: string[]) {
  const audit = createAudit({ now: () => gateway.clock.now, clusterName: 'localhost', chain: 'gateway' });
  const fields = { ...sampleFields(sessionEnded as unknown as EventType), user: participants[0], participants };
  await gateway.storage.db.transaction().execute((tx) => audit.emit(tx, sessionEnded as unknown as EventType, fields));
}

test('no event has a field that the wire uses for something else', () => {
  const taken = ['ei', 'event', 'code', 'time', 'uid', 'cluster_name', 'gatehouse', 'request_id'];

  const clashes = EVENT_TYPES.flatMap(({ code, fields }) =>
    Object.keys(fields.shape)
      .filter((name) => taken.includes(name))
      .map((name) => `${code} ${name}`),
  );

  expect(clashes).toEqual([]);
});

test('an auditor finds what happened, by whom, from where and in which call', async () => {
  const ann = await start();
  const { events, startKey } = await call(ann.send, eventRoutes.search, { params: HERE, query: { user: 'ann' } });

  expect(startKey).toBe('');
  expect(events[0]).toMatchObject({ event: 'user.login', code: 'T1000I', user: 'ann', cluster_name: 'localhost' });
  const requestId = String(events[0]!.request_id);
  const ofCall = await call(ann.send, eventRoutes.search, { params: HERE, query: { requestId } });
  expect(ofCall.events.map(({ uid }) => uid)).toEqual([events[0]!.uid]);
});

test.each(routes)('who may not list events gets nothing by %s', async (_, route) => {
  await start();
  await endSession(['ann']);
  await makeRole('nothing', '[]');
  await gateway.addUser('cid', { roles: ['nothing'] });
  const cid = await gateway.signedIn('cid');

  const answer = await cid.send({ method: route.method, url: pathFor(route.path, HERE) });
  const nobody = await gateway.send({ method: route.method, url: pathFor(route.path, HERE) });

  expect([answer.status, nobody.status]).toEqual([403, 403]);
  expect(answer.text).not.toMatch(/user\.login|session\.end|publicKey|total/);
});

test.each(routes.filter(([name]) => name !== 'searchSessions'))(
  'a rule for some events only does not open the log by %s',
  async (_, route) => {
    await start();
    await makeRole('some', `[{ resources: [event], verbs: [list], where: 'equals(session.user, "bob")' }]`);
    await gateway.addUser('cid', { roles: ['some'] });
    const cid = await gateway.signedIn('cid');

    const answer = await cid.send({ method: route.method, url: pathFor(route.path, HERE) });

    expect(answer.status).toBe(403);
  },
);

test('ends of sessions are shown to those whose roles name them', async () => {
  const ann = await start();
  const own = 'contains(session.participants, user.metadata.name)';
  await makeRole('own-sessions', `[{ resources: [session], verbs: [list], where: '${own}' }]`);
  await gateway.addUser('cid', { roles: ['own-sessions'] });
  await endSession(['ann', 'cid']);
  await endSession(['ann']);
  const cid = await gateway.signedIn('cid');

  const seen = await call(cid.send, eventRoutes.searchSessions, { params: HERE });
  const all = await call(ann.send, eventRoutes.searchSessions, { params: HERE });

  expect(seen.events.map(({ participants }) => participants)).toEqual([['ann', 'cid']]);
  expect(all.events).toHaveLength(2);
});

test('pages of the ends of sessions tell nothing of those that are not shown', async () => {
  const ann = await start();
  const own = 'contains(session.participants, user.metadata.name)';
  await makeRole('own-sessions', `[{ resources: [session], verbs: [list], where: '${own}' }]`);
  await gateway.addUser('cid', { roles: ['own-sessions'] });
  for (const people of [['ann'], ['cid'], ['ann'], ['ann'], ['cid', 'ann'], ['ann']]) await endSession(people);
  const cid = await gateway.signedIn('cid');
  const pages = async (browser: TestBrowser, limit: number) => {
    const lengths: number[] = [];
    for (let startKey = '', more = true; more; more = startKey !== '') {
      const query = { limit: String(limit), ...(startKey === '' ? {} : { startKey }) };
      const found = await call(browser.send, eventRoutes.searchSessions, { params: HERE, query });
      lengths.push(found.events.length);
      startKey = found.startKey;
    }
    return lengths;
  };

  expect(await pages(cid, 1)).toEqual([1, 1]);
  expect(await pages(cid, 2)).toEqual([2]);
  expect(await pages(cid, 50)).toEqual([2]);
  expect(await pages(ann, 4)).toEqual([4, 2]);
});

test.each([
  ['a limit below one', { limit: '0' }, 400],
  ['a limit that is no number', { limit: 'many' }, 400],
  ['a time that is none', { from: 'yesterday' }, 400],
  ['an order that is none', { order: 'up' }, 400],
  ['a start key of somebody’s own', { startKey: 'W10' }, 400],
  ['a severity that is none', { severity: 'fatal' }, 400],
  ['a search of too many letters', { search: 'x'.repeat(1_025) }, 400],
  ['a limit above the most', { limit: '9999' }, 200],
  ['empty values, as reference clients send', { startKey: '', include: '', limit: '' }, 200],
  ['a range that ends before it begins', { from: '2026-02-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }, 200],
])('%s is answered as it should be', async (_, query, status) => {
  const ann = await start();
  const search = await call(ann.send, eventRoutes.search, { params: HERE, query: query as never }).then(
    () => 200,
    (error: CallError) => error.status,
  );

  expect(search).toBe(status);
});

test('counts follow the filter', async () => {
  const ann = await start();
  await gateway.signedIn('bob');

  const counts = await call(ann.send, eventRoutes.counts, { params: HERE, query: { user: 'bob' } });

  expect(counts).toMatchObject({ total: 1, complete: true, users: [{ value: 'bob', count: 1 }] });
});

test('the tail waits for the next event and gives it once', async () => {
  const ann = await start();
  const { after } = await call(ann.send, eventRoutes.tail, { params: HERE });

  const waiting = call(ann.send, eventRoutes.tail, { params: HERE, query: { after, waitSeconds: '10' } });
  await gateway.signedIn('bob');
  const found = await waiting;
  const later = await call(ann.send, eventRoutes.tail, { params: HERE, query: { after: found.after } });

  expect(found.events).toEqual([expect.objectContaining({ event: 'user.login', user: 'bob' })]);
  expect(later.events).toEqual([]);
});

test('who loses the right while they wait for the next event does not get it', async () => {
  const ann = await start();
  await gateway.addUser('root', { roles: ['auditor', 'editor'] });
  const root = await gateway.signedIn('root');
  const { after } = await call(ann.send, eventRoutes.tail, { params: HERE });
  const waiting = call(ann.send, eventRoutes.tail, { params: HERE, query: { after, waitSeconds: '10' } });
  waiting.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));

  // Told in the log, which wakes whoever waits.
  await call(root.send, userRecordRoutes.update, { body: { name: 'ann', roles: ['access'], traits: {} } });

  await expect(waiting).rejects.toMatchObject({ status: 403 });
});

test('the newest checkpoint is signed by the key that is told, and verification holds against it', async () => {
  const ann = await start();
  const { storage, clock } = gateway;
  const { publicKey, checkpoint: none } = await call(ann.send, eventRoutes.key, { params: HERE });
  const signer = await openSigner(storage.db, gateway.secrets, clock.now);
  const deps = { db: storage.db, signer, clusterName: 'localhost', log: gateway.app.log, now: () => clock.now };
  await storage.db.transaction().execute((tx) => writeCheckpoint(tx, deps));

  const { checkpoint } = await call(ann.send, eventRoutes.key, { params: HERE });
  const verdict = await call(ann.send, eventRoutes.verify, { params: HERE });

  expect(none).toBeNull();
  expect(isSignedBy(checkpoint!, publicKey)).toBe(true);
  expect(isSignedBy({ ...checkpoint!, body: checkpoint!.body.replace('"number":1', '"number":2') }, publicKey)).toBe(
    false,
  );
  const { chains, number } = checkpointBody.parse(JSON.parse(checkpoint!.body));
  expect(chains).toEqual([
    { chain: 'gateway', index: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  // Only the one that tells of the check.
  expect(verdict).toMatchObject({ ok: true, startKey: '', checkpoint: { number }, newer: 1 });
  const { events } = await call(ann.send, eventRoutes.search, { params: HERE, query: { code: 'GH330I' } });
  expect(events).toMatchObject([{ user: 'ann', checkpoint: number }]);
});

test('a check says how many events are newer than what it looked at', async () => {
  const ann = await start();
  const { storage, clock } = gateway;
  const signer = await openSigner(storage.db, gateway.secrets, clock.now);
  const deps = { db: storage.db, signer, clusterName: 'localhost', log: gateway.app.log, now: () => clock.now };
  await storage.db.transaction().execute((tx) => writeCheckpoint(tx, deps));
  const length = async () =>
    (await storage.db.selectFrom('event_chain').select('length').executeTakeFirstOrThrow()).length;
  const to = new Date(clock.now).toISOString();
  clock.now += 60_000;
  await gateway.signedIn('bob');

  const { checked, newer } = await call(ann.send, eventRoutes.verify, { params: HERE, query: { to } });

  expect(newer).toBeGreaterThan(1);
  expect(checked + newer!).toBe(await length());
  const whole = await call(ann.send, eventRoutes.verify, { params: HERE });
  expect([whole.checked + whole.newer!, whole.newer]).toEqual([await length(), 1]);
});

test('a log whose end was cut off and whose books were cooked is told by the checkpoint', async () => {
  const ann = await start();
  const { storage, clock } = gateway;
  await gateway.signedIn('bob');
  const signer = await openSigner(storage.db, gateway.secrets, clock.now);
  const deps = { db: storage.db, signer, clusterName: 'localhost', log: gateway.app.log, now: () => clock.now };
  await storage.db.transaction().execute((tx) => writeCheckpoint(tx, deps));
  const last = await storage.db.selectFrom('event_chain').selectAll().executeTakeFirstOrThrow();
  const before = await storage.db
    .selectFrom('event')
    .select('prev_hash')
    .where('chain_index', '=', last.length)
    .executeTakeFirstOrThrow();

  await storage.db.deleteFrom('event').where('chain_index', '=', last.length).execute();
  await storage.db
    .updateTable('event_chain')
    .set({ length: last.length - 1, hash: before.prev_hash })
    .execute();
  const verdict = await call(ann.send, eventRoutes.verify, { params: HERE });

  expect(verdict).toMatchObject({ ok: false, problem: { chain: 'gateway', index: last.length } });
  const logged = await call(ann.send, eventRoutes.search, { params: HERE, query: { code: 'GH330E' } });
  expect(logged.events[0]).toMatchObject({ user: 'ann', broken_at: last.length });
});

test('a chain that is gone as if it had never been is told by the checkpoint', async () => {
  const ann = await start();
  const { storage, clock } = gateway;
  const { db } = storage;
  const other = createAudit({ now: () => clock.now, clusterName: 'localhost', chain: 'other' });
  const fields = sampleFields(sessionEnded as unknown as EventType);
  await db.transaction().execute((tx) => other.emit(tx, sessionEnded as unknown as EventType, fields));
  const signer = await openSigner(db, gateway.secrets, clock.now);
  const deps = { db, signer, clusterName: 'localhost', log: gateway.app.log, now: () => clock.now };
  await db.transaction().execute((tx) => writeCheckpoint(tx, deps));

  await db.deleteFrom('event').where('chain', '=', 'other').execute();
  await db.deleteFrom('event_chain').where('chain', '=', 'other').execute();

  const verdict = await call(ann.send, eventRoutes.verify, { params: HERE });
  expect(verdict).toMatchObject({ ok: false, problem: { chain: 'other', index: 1 } });
});
