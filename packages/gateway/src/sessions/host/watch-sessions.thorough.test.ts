/** What a change costs where many people have sessions open, and whose it ends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ManySessions, serverOf, startManySessions, userName } from '../../../testing/sessions/many-sessions.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { insertLock } from '../../access/lock-store.ts';
import { insertRole, updateRole } from '../../access/role-store.ts';
import { endSignIn, insertSignIn } from '../../identity/stores/sign-in-store.ts';
import { putResources, removeResource } from '../../inventory/resource-store.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { SESSION_TOPIC } from './session-store.ts';

const PEOPLE = 60;
let many: ManySessions;
let clock: number;

beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1);
  many = await startManySessions({ storage: await openMemoryStorage(() => clock), people: PEOPLE, now: () => clock });
});
afterEach(() => many.close());

const quiet = async () => {
  await many.feed.settled();
  await new Promise((resolve) => setTimeout(resolve, 150));
};
const lock = (number: number, expires?: number) =>
  many.db.transaction().execute((tx) =>
    insertLock(tx, {
      target: { kind: 'user', name: userName(number) },
      ...{ message: 'away', created: clock, createdBy: 'test', expires },
    }),
  );

test('a change of one user is decided for that user alone, with one query however many others there are', async () => {
  many.queries();
  await many.setRoles(7, []);

  expect((await many.ended(7)).end).toMatchObject({ cause: 'denied' });
  expect(many.queries()).toHaveLength(1);
  expect(many.live.size).toBe(PEOPLE - 1);
});

test('a lock and a change of a role read all people at once, and later only those who changed', async () => {
  many.queries();
  await lock(3);
  expect((await many.ended(3)).end).toMatchObject({ cause: 'locked', message: "the user 'user-3' is locked" });
  await quiet();
  const first = many.queries();
  await lock(4);
  await many.ended(4);
  await quiet();
  const second = many.queries();

  expect(first.length).toBeLessThan(8);
  // The lock itself, its change, and the locks as they are now; nobody is read again.
  expect(second.length).toBeLessThan(first.length);
  expect(many.live.size).toBe(PEOPLE - 2);
});

test('a role that runs out ends what stands on it within two seconds of the clock, and nothing else', async () => {
  const content = (name: string, expires: string) =>
    `kind: role\nversion: v6\nmetadata: {name: ${name}${expires}}\nspec: {allow: {logins: [root], node_labels: {env: dev}}}\n`;
  const brief = content('brief', `, expires: "${new Date(clock + 60_000).toISOString()}"`);
  await many.db
    .transaction()
    .execute((tx) => insertRole(tx, { name: 'brief', content: brief, by: 'test', now: clock }));
  await many.setRoles(5, ['brief']);
  await quiet();
  expect(many.of(5).end).toBeUndefined();
  clock += 61_000;

  expect((await many.ended(5)).end).toMatchObject({ cause: 'denied' });
  await quiet();
  expect(many.live.size).toBe(PEOPLE - 1);
});

test('a moderated session is let go on when the role that asks for a moderator has run out', async () => {
  const expires = new Date(clock + 60_000).toISOString();
  const spec = `{allow: {require_session_join: [{name: x, filter: 'true', kinds: [ssh], count: 1, modes: [moderator]}]}}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: watched, expires: "${expires}"}\nspec: ${spec}\n`;
  await many.db.transaction().execute((tx) => insertRole(tx, { name: 'watched', content, by: 'test', now: clock }));
  await many.setRoles(6, ['dev', 'watched']);
  await vi.waitFor(() => expect(many.of(6).flow).toBe('frozen'));
  clock += 61_000;

  await vi.waitFor(() => expect(many.of(6).flow).toBe('live'), { timeout: 5_000 });
});

test('a sign-out waits neither for news of sessions nor for a store that is slow to tell them', async () => {
  const signIn = await many.db.transaction().execute((tx) =>
    insertSignIn(tx, {
      ...{ user: userName(9), kind: 'browser' as const, now: clock, expires: clock + 1_000_000 },
      ...{ address: '127.0.0.1', userAgent: 'test' },
    }),
  );
  many.of(9).session.signInId = signIn.id;
  many.queries();
  await many.db.transaction().execute(async (tx) => {
    for (const { id } of many.live.values()) await publish(tx, { topic: SESSION_TOPIC, id });
    await endSignIn(tx, signIn.id, 'signed_out', clock);
  });

  expect((await many.ended(9)).end).toMatchObject({ cause: 'signed_out' });
});

test('a server that gets labels a role does not reach, another address, or is removed, ends the sessions with it alone', async () => {
  const put = (number: number, change: object) =>
    many.db.transaction().execute((tx) => putResources(tx, [{ ...serverOf(number), ...change }], clock));
  many.queries();
  await put(10, { labels: { env: 'prod' } });
  expect((await many.ended(10)).end).toMatchObject({
    cause: 'denied',
    message: expect.stringContaining('none of your'),
  });
  await put(11, { spec: { ...(serverOf(11).spec as object), addr: '10.9.9.9:22' } });
  expect((await many.ended(11)).end).toMatchObject({ message: expect.stringContaining('another address') });
  const { cluster, kind, id } = serverOf(12);
  await many.db.transaction().execute((tx) => removeResource(tx, { cluster, kind, id }));
  expect((await many.ended(12)).end).toMatchObject({ message: 'the server was removed' });
  await put(13, { labels: { env: 'dev', moved: 'yes' } });
  await vi.waitFor(() => expect(many.of(13).session.action.resource.labels).toEqual({ env: 'dev', moved: 'yes' }));

  await quiet();
  expect(many.live.size).toBe(PEOPLE - 3);
});

test('a role that is narrowed later is held against the labels a server has by then', async () => {
  await many.db
    .transaction()
    .execute((tx) => putResources(tx, [{ ...serverOf(20), labels: { env: 'dev', secret: 'yes' } }], clock));
  await vi.waitFor(() => expect(many.of(20).session.action.resource.labels).toHaveProperty('secret'));
  const row = await many.db.selectFrom('role').selectAll().where('name', '=', 'dev').executeTakeFirstOrThrow();
  const content =
    "kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [root], node_labels: {env: dev}}, deny: {node_labels: {secret: 'yes'}}}\n";
  await many.db
    .transaction()
    .execute((tx) => updateRole(tx, { name: 'dev', content, by: 'test', now: clock }, row.revision));

  await many.ended(20);
  await quiet();
  expect(many.live.size).toBe(PEOPLE - 1);
});
