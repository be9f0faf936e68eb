/** One event that cannot be read must cost itself alone: not the page it is on, nor the search, nor the export. */
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const SIGN_INS = 5;
const HERE = { clusterId: '-current-' };
let gateway: IdentityGateway;
let ann: TestBrowser;

beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann', { roles: ['auditor', 'editor'] });
  for (let times = 0; times < SIGN_INS; times++) ann = await gateway.signedIn('ann');
});
afterAll(() => gateway.close());

test.each([
  ['half an object', '{"user":'],
  ['a list', '[]'],
  ['nothing', ''],
  ['a word', 'null'],
  ['text that would go on', '{}},{"event":"forged","code":"T0000I"'],
  ['a name that objects have', '{"__proto__":{"user":"root"}}'],
])('an event whose fields are %s is one row among the others', async (_, data) => {
  const { db } = gateway.storage;
  const rows = await db.selectFrom('event').selectAll().orderBy('id').execute();
  const third = rows[2];
  if (!third) throw new Error('too few events');
  await db.updateTable('event').set({ data }).where('id', '=', third.id).execute();

  const { events } = await call(ann.send, eventRoutes.search, { params: HERE, query: {} });

  expect(events).toHaveLength(rows.length);
  expect(events.filter(({ event }) => event === 'user.login')).toHaveLength(SIGN_INS);
  expect(events.map(({ event }) => event)).not.toContain('forged');
  const one = events.find(({ uid }) => uid === third.uid);
  if (!data.startsWith('{"__')) expect(one).toMatchObject({ event: 'user.login', unreadable: data });
  expect(await call(ann.send, eventRoutes.counts, { params: HERE, query: {} })).toBeTruthy();
  // The log is still checked, and says which one it is.
  expect(await call(ann.send, eventRoutes.verify, { params: HERE, query: {} })).toMatchObject({ ok: false });
});
