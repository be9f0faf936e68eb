/** What listing open sessions and finding those of agents costs where there are many. */
import { activeSession } from '@gatehouse/contract/sessions/sessions';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { CLUSTER, type ManySessions, startManySessions, userName } from '../../../testing/sessions/many-sessions.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { insertRole } from '../../access/role-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { databaseNow } from '../../platform/storage/database-clock.ts';
import { ownerOf } from '../host/owners.ts';
import {
  claimSessions,
  listOpenOf,
  listOpenSessions,
  listOrphans,
  listOwn,
  markEnded,
  openOf,
  type Session,
} from '../host/session-store.ts';
import { listActive, toActive } from './active-sessions.ts';
import { createOpenSessions } from './open-sessions.ts';
import { rowsText, toRow } from './session-row.ts';

const PEOPLE = 60;
let many: ManySessions;

beforeEach(async () => {
  many = await startManySessions({
    ...{ storage: await openMemoryStorage(Date.now), people: PEOPLE, sessionsOfAgent: 5 },
  });
});
afterEach(() => many.close());

function person(name: string, roles: string[]): Actor {
  const subject = { username: name, roles, traits: {} };
  const { access } = many;
  return { ...subject, signInId: 's', signInKind: 'browser', authType: 'local', acl: access.aclOf(subject) };
}

function lists() {
  const host = { get: () => undefined, all: () => [], owner: async () => undefined };
  const open = createOpenSessions({ ...many, host, clusterName: CLUSTER });
  const list = async (actor: Actor) => {
    const shown = await listActive({ ...many, host: host as never, open }, actor);
    const rows = z.array(activeSession).parse(JSON.parse(rowsText(shown)));
    expect(rows).toEqual(shown.map(toRow));
    return rows;
  };
  return { list, close: open.close };
}

test('a second list asks the store for nothing, and one after a change for what changed', async () => {
  const { list, close } = lists();
  const boss = person('boss', ['auditor', 'editor']);
  expect(await list(boss)).toHaveLength(PEOPLE);
  many.queries();
  expect(await list(boss)).toHaveLength(PEOPLE);
  expect(many.queries()).toEqual([]);
  await many.db
    .transaction()
    .execute((tx) => markEnded(tx, many.of(3).session, { cause: 'closed', message: 'over' }, Date.now()));
  await many.feed.settled();
  many.queries();

  const left = await list(boss);
  expect(left.map(({ owner }) => owner)).not.toContain(userName(3));
  expect(left).toHaveLength(PEOPLE - 1);
  expect(many.queries()).toHaveLength(1);
  close();
});

test('whoever may not see them gets none but their own, from memory as from the store', async () => {
  const { list, close } = lists();
  expect(await list(person('eve', ['dev']))).toEqual([]);
  const mine = await list(person(userName(7), ['dev']));
  expect(mine.map(({ owner, participantModes }) => [owner, participantModes])).toEqual([
    [userName(7), ['observer', 'peer']],
  ]);
  close();
});

const WATCH = 'join_sessions: [{name: w, kinds: [ssh], roles: [dev], modes: [observer]}]';
const rule = (verbs: string, where = '') =>
  `rules: [{resources: [ssh_session], verbs: [${verbs}]${where && `, where: '${where}'`}}]`;

test.each([
  ['nothing', '{allow: {}}', 0, 0],
  ['a rule for all', `{allow: {${rule('list, delete')}}}`, PEOPLE, PEOPLE],
  ['a rule for some', `{allow: {${rule('list, delete', 'session.user == "user-3"')}}}`, 1, 1],
  ['all but some', `{allow: {${rule('list')}}, deny: {${rule('list', 'session.user == "user-3"')}}}`, PEOPLE - 1, 0],
  ['a denial of all', `{allow: {${rule('list, delete')}}, deny: {${rule('delete')}}}`, PEOPLE, 0],
  ['a right to join', `{allow: {${WATCH}, ${rule('delete', 'session.user == "user-3"')}}}`, PEOPLE, 1],
])('with %s a list shows what is shown of each session by itself', async (_, spec, seen, ended) => {
  const content = `kind: role\nversion: v6\nmetadata: {name: viewer}\nspec: ${spec}\n`;
  await many.db.transaction().execute((tx) => insertRole(tx, { name: 'viewer', content, by: 'test', now: 0 }));
  await many.access.refreshRole('viewer');
  const { list, close } = lists();
  const viewer = person('viewer', ['viewer']);
  const host = { get: () => undefined, owner: (session: Session) => ownerOf(many, session) };

  const rows = await list(viewer);
  expect([rows.length, rows.filter(({ mayEnd }) => mayEnd).length]).toEqual([seen, ended]);
  const each = await Promise.all(
    (await listOpenSessions(many.db, CLUSTER)).map((session) =>
      toActive({ ...many, host: host as never }, viewer, session),
    ),
  );
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(rows.sort(byId)).toEqual(each.filter((row) => row !== undefined).sort(byId));
  close();
});

test('the sessions of agents that came back are found by an index, together, and claimed in one statement', async () => {
  const { db } = many;
  expect((await listOpenOf(db, CLUSTER, ['agent-2', 'agent-4'])).map(({ user }) => user)).toEqual(
    [10, 11, 12, 13, 14, 20, 21, 22, 23, 24].map(userName).sort(byNumberOf(many)),
  );
  const { sql, parameters } = openOf(db, CLUSTER, ['agent-2']).compile();
  const plan = JSON.stringify(await db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])));
  expect(plan).toContain('session_open_agent');
  const open = await listOpenOf(db, CLUSTER, ['agent-2']);
  many.queries();
  const claimed = await db.transaction().execute((tx) => claimSessions(tx, open, 'here'));

  expect(claimed.size).toBe(5);
  expect(many.queries()).toHaveLength(2);
  expect(await listOwn(db, 'here')).toEqual(claimed);
  // Read before another claimed them: too late.
  expect((await db.transaction().execute((tx) => claimSessions(tx, open, 'there'))).size).toBe(0);
});

test('a session is nobody’s when its gateway has no row, or has said nothing for long by the clock of the database', async () => {
  const { db } = many;
  const orphans = (deadMs: number | undefined) => listOrphans(db, { cluster: CLUSTER, gateway: 'here', deadMs });
  expect(await orphans(undefined)).toHaveLength(PEOPLE);
  await db
    .insertInto('gateway')
    .values({ id: 'another', started: 0, seen: databaseNow(db) })
    .execute();
  expect(await orphans(undefined)).toEqual([]);
  expect(await orphans(20_000)).toEqual([]);
  await db
    .updateTable('gateway')
    .set({ seen: Date.now() - 60_000 })
    .execute();

  // Nobody who has just come, or whose own database was away, takes it for dead.
  expect(await orphans(undefined)).toEqual([]);
  expect(await orphans(20_000)).toHaveLength(PEOPLE);
});

function byNumberOf({ of }: ManySessions) {
  return (a: string, b: string) => {
    const [x, y] = [a, b].map((name) => of(Number(name.split('-')[1])).session);
    return x && y ? x.created - y.created || (x.id < y.id ? -1 : 1) : 0;
  };
}
