/** What searching, following and checking the log must do alike on every engine. */
import { generateKeyPairSync } from 'node:crypto';
import { userLogin, userLoginFailed } from '@gatehouse/contract/audit/sign-in-events';
import { userUpdated } from '@gatehouse/contract/audit/user-events';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import { sampleFields } from '@gatehouse/contract/testing/audit/sample-event';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FindQuery, NO_FILTER, readPlaceKey } from '../../src/evidence/audit-log/search/find-query.ts';
import { chainEnds } from '../../src/evidence/audit-log/search/follow-events.ts';
import { type LogReader, openLogReader } from '../../src/evidence/audit-log/search/open-log-reader.ts';
import { createAudit } from '../../src/platform/audit/emit.ts';
import { withinRequest } from '../../src/platform/audit/request-scope.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

interface Page {
  events: Record<string, unknown>[];
  startKey: string;
}

export function logSuite(open: () => Promise<Storage>): void {
  let storage: Storage;
  let reader: LogReader;
  let clock = START;
  const audit = () => createAudit({ now: () => clock, clusterName: 'c1', chain: 'g1' });

  beforeAll(async () => {
    storage = await open();
    reader = openLogReader(storage, silentLog);
    for (let index = 0; index < 60; index++) {
      clock = START + index * MINUTE;
      await storage.db.transaction().execute(async (tx) => {
        const user = index % 3 === 0 ? 'ann' : 'bob';
        if (index % 4 === 0) {
          const fields = { user, success: false, method: 'local', error: 'wrong password', 'addr.remote': '192.0.2.7' };
          await audit().emit(tx, userLoginFailed, fields, { signInId: `s${index}` });
        } else {
          const fields = { user, success: true, method: 'local', 'addr.remote': '198.51.100.1' };
          await audit().emit(tx, userLogin, fields);
        }
      });
    }
    clock = START + 60 * MINUTE;
    await storage.db.transaction().execute(async (tx) => {
      const fields = {
        ...sampleFields(dbQuery as unknown as EventType),
        user: 'Zoë',
        db_query: 'SELECT *\nFROM orders WHERE "name" = \'Øster\'',
      };
      await withinRequest('req-1234', () =>
        audit().emit(tx, dbQuery as unknown as EventType, fields, {
          sessionId: '11111111-2222-4333-8444-555555555555',
        }),
      );
    });
  });
  afterAll(async () => {
    await reader.close();
    await storage.close();
  });

  const ask = async (query: Partial<FindQuery> & { proof?: boolean } = {}): Promise<Page> => {
    const whole = { from: START, to: START + 90 * MINUTE, filter: NO_FILTER, order: 'desc' as const, limit: 500 };
    const bytes = await reader.search({ ...whole, after: undefined, proof: false, ...query });
    return JSON.parse(Buffer.from(bytes).toString()) as Page;
  };
  const find = async (filter: Partial<typeof NO_FILTER>) => (await ask({ filter: { ...NO_FILTER, ...filter } })).events;

  test('events come as they stand on the wire, newest first', async () => {
    const { events, startKey } = await ask();

    expect(events).toHaveLength(61);
    expect(startKey).toBe('');
    expect(events.at(-1)).toEqual({
      ei: 0,
      event: 'user.login',
      code: 'T1000W',
      time: '2026-01-01T00:00:00.000Z',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      cluster_name: 'c1',
      user: 'ann',
      success: false,
      method: 'local',
      error: 'wrong password',
      'addr.remote': '192.0.2.7',
    });
    const times = events.map(({ time }) => String(time));
    expect(times).toEqual(times.toSorted().reverse());
  });

  test.each(['asc', 'desc'] as const)('pages %s are stable and give every event once', async (order) => {
    const seen: unknown[] = [];
    let after: FindQuery['after'];
    do {
      const { events, startKey } = await ask({ order, limit: 7, after });
      seen.push(...events.map(({ uid }) => uid));
      after = readPlaceKey(startKey || undefined);
    } while (after);

    const whole = await ask({ order });
    expect(seen).toEqual(whole.events.map(({ uid }) => uid));
  });

  test('both ends of the range belong to it', async () => {
    const { events } = await ask({ from: START + 10 * MINUTE, to: START + 12 * MINUTE, order: 'asc' });

    expect(events.map(({ time }) => time)).toEqual(
      [10, 11, 12].map((minute) => new Date(START + minute * MINUTE).toISOString()),
    );
    expect((await ask({ from: START - 9 * MINUTE, to: START - MINUTE })).events).toEqual([]);
  });

  test.each([
    ['a type', { include: ['user.login'] }, 60],
    ['one of two types', { include: ['user.login', 'db.session.query'] }, 61],
    ['a code', { code: ['T1000W'] }, 15],
    ['a severity', { severity: ['warning' as const] }, 15],
    ['a user', { user: 'ann' }, 20],
    ['a user with an accent', { user: 'Zoë' }, 1],
    ['half a name', { user: 'an' }, 0],
    ['a user and a severity', { user: 'ann', severity: ['warning' as const] }, 5],
    ['a resource', { resourceKind: 'user', resourceName: 'bob' }, 40],
    ['a session', { session: '11111111-2222-4333-8444-555555555555' }, 1],
    ['an address', { address: '192.0.2.7' }, 15],
    ['a sign-in', { signIn: 's4' }, 1],
    ['a call', { requestId: 'req-1234' }, 1],
    ['half a call', { requestId: 'req' }, 0],
    ['a word', { search: 'orders' }, 1],
    ['a word in capitals', { search: 'WRONG' }, 15],
    ['words in any order', { search: 'orders select' }, 1],
    ['a word behind a line break', { search: 'from' }, 1],
    ['a word without its accent', { search: 'oster zoe' }, 0],
    ['a word with its accent', { search: 'Øster zoë' }, 1],
    ['the beginning of a word', { search: 'ord*' }, 1],
    ['half a word', { search: 'ord' }, 0],
    ['an address as typed', { search: '192.0.2.7' }, 15],
    ['the numbers of an address in another order', { search: '7.2.0.192' }, 0],
    ['a code as a word', { search: 't1000w' }, 15],
    ['a word and a user', { search: 'wrong', user: 'bob' }, 10],
    ['a word nobody wrote', { search: 'nowhere' }, 0],
    ['the name of a field', { search: 'method' }, 0],
    ['signs only', { search: '*** "" --' }, 0],
    ['operators of the index', { search: 'orders OR wrong' }, 0],
    ['a broken query of the index', { search: '") OR (words:"a" NEAR(' }, 0],
    ['quotes and injections', { search: "'; drop table event; --" }, 0],
    ['a NUL', { search: 'a\0b' }, 0],
    ['a very long word', { search: 'x'.repeat(1_000) }, 0],
    ['a wildcard alone', { user: '%' }, 0],
  ])('a search by %s finds what is there', async (_, filter, count) => {
    expect(await find(filter)).toHaveLength(count);
  });

  test('with proof an event carries its place in the chain', async () => {
    const { events } = await ask({ order: 'asc', limit: 1, proof: true });

    expect(events[0]!.gatehouse).toMatchObject({ chain: 'g1', index: 1, previous: '0'.repeat(64), user: 'ann' });
  });

  test('counts are those of the search, in buckets that add up', async () => {
    const filter = { ...NO_FILTER, user: 'ann' };
    const counts = await reader.counts({ from: START, to: START + 90 * MINUTE, filter, buckets: 10 });

    expect(counts).toMatchObject({ total: 20, complete: true });
    expect(counts.users).toEqual([{ value: 'ann', count: 20 }]);
    expect(counts.severities).toEqual([
      { value: 'info', count: 15 },
      { value: 'warning', count: 5 },
    ]);
    expect(counts.types).toEqual([{ value: 'user.login', count: 20 }]);
    expect(counts.buckets).toHaveLength(10);
    expect(counts.buckets.reduce((sum, { info, warning, error }) => sum + info + warning + error, 0)).toBe(20);
  });

  test('a follower gets what was written since, once, in order', async () => {
    const before = await chainEnds(storage.db);
    for (const user of ['u1', 'u2', 'u3']) {
      await storage.db
        .transaction()
        .execute((tx) =>
          audit().emit(tx, userUpdated as unknown as EventType, sampleFields(userUpdated as unknown as EventType)),
        );
      await storage.db
        .transaction()
        .execute((tx) => audit().emit(tx, userLogin, { user, success: true, method: 'local' }));
    }

    const filter = { ...NO_FILTER, include: ['user.login'] };
    const first = await reader.follow({ after: before, filter, limit: 4 });
    const second = await reader.follow({ after: first.after, filter, limit: 500 });
    const third = await reader.follow({ after: second.after, filter, limit: 500 });

    const users = (bytes: Uint8Array) =>
      (JSON.parse(Buffer.from(bytes).toString()) as Page).events.map(({ user }) => user);
    expect([users(first.bytes), first.more]).toEqual([['u1', 'u2'], true]);
    expect([users(second.bytes), second.more]).toEqual([['u3'], false]);
    expect(users(third.bytes)).toEqual([]);
  });

  test('an untouched log verifies, whole and in part; a changed one names the event', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const verify = (from?: number) =>
      reader.verify({ from, to: START + 90 * MINUTE, publicKey: pem, after: undefined });

    expect(await verify()).toMatchObject({ ok: true, checked: 67 });
    expect(await verify(START + 50 * MINUTE)).toMatchObject({ ok: true, checked: 17 });
    await sql`update event set "user" = 'mallory' where chain_index = 40`.execute(storage.db);
    expect(await verify()).toMatchObject({ ok: false, problem: { chain: 'g1', index: 40 } });
    expect(await verify(START + 50 * MINUTE)).toMatchObject({ ok: true });
    if (storage.engine !== 'sqlite') return;
    // A column of the embedded store takes bytes that are no text: that is a change like any other.
    await sql`update event set "user" = x'ff00' where chain_index = 30`.execute(storage.db);
    expect(await verify()).toMatchObject({ ok: false, problem: { chain: 'g1', index: 30 } });
  });
}
