import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userLogin, userLoginFailed } from '@gatehouse/contract/audit/sign-in-events';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openTestFolder } from '../../../testing/storage/test-folder.ts';
import { silentLog } from '../std/log.ts';
import { StoreDownError } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { verifyChain } from './chain.ts';
import { openDiskQueue } from './disk-queue.ts';
import { openEventStream } from './event-stream.ts';

let storage: Storage;
afterEach(() => storage.close());

const NOW = Date.UTC(2026, 0, 1);

async function open({ folder = openTestFolder(), strict = false, maxBytes = 1_000_000 } = {}) {
  storage ??= await openMemoryStorage(() => NOW);
  const queue = await openDiskQueue(folder, maxBytes);
  // Stands in for a store that goes away and comes back.
  const down = { is: false, refuses: '', commits: 0 };
  const real = storage.db;
  const db = new Proxy(real, {
    get(target, name) {
      if (down.is && (name === 'transaction' || name === 'selectFrom')) throw new StoreDownError('the store is away');
      if (down.refuses && name === 'transaction') throw new Error(down.refuses);
      if (name === 'transaction') down.commits += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const stream = openEventStream({ db, queue, strict, chain: 'g1', clusterName: 'c1', log: silentLog, now: () => NOW });
  return { stream, queue, down, folder };
}

async function fresh(options = {}) {
  storage = await openMemoryStorage(() => NOW);
  return await open(options);
}

const login = (user: string) => ({ user, success: true, method: 'local' });
const users = async () =>
  (await storage.db.selectFrom('event').select(['user', 'code']).orderBy('chain_index').execute())
    .filter(({ code }) => code === userLogin.code)
    .map(({ user }) => user);

test('events written together are one chain in the order they were written', async () => {
  const { stream } = await fresh();
  const names = Array.from({ length: 1_200 }, (_, index) => `user-${index}`);

  await Promise.all(names.map((name) => stream.write(userLogin, login(name))));

  expect(await users()).toEqual(names);
  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: true, length: 1_200 });
  await stream.close();
});

test('what nobody waits for is written at once where little comes, and shares commits where much does', async () => {
  const { stream, down } = await fresh();
  await stream.write(userLogin, login('alone'), {}, 'soon');
  expect(down.commits).toBe(1);

  const names = Array.from({ length: 150 }, (_, index) => `user-${index}`);
  const written: Promise<void>[] = [];
  for (const name of names) {
    written.push(stream.write(userLogin, login(name), {}, 'soon'));
    await new Promise(setImmediate);
  }
  await Promise.all(written);

  expect(await users()).toEqual(['alone', ...names]);
  // A busy machine takes longer between them, and so needs more commits.
  expect(down.commits).toBeLessThan(names.length / 2);
  await stream.close();
});

test('whoever waits for an event takes along those before it, and closing all of them', async () => {
  const { stream, down } = await fresh();
  await stream.write(userLogin, login('first'), {}, 'soon');
  const behind = stream.write(userLogin, login('behind'), {}, 'soon');
  await stream.write(userLogin, login('waited for'));
  expect(await users()).toEqual(['first', 'behind', 'waited for']);
  expect(down.commits).toBe(2);
  await behind;

  void stream.write(userLogin, login('told'), {}, 'soon');
  await stream.settled();
  expect(await users()).toEqual(['first', 'behind', 'waited for', 'told']);

  void stream.write(userLogin, login('last'), {}, 'soon');
  await stream.close();
  expect(await users()).toEqual(['first', 'behind', 'waited for', 'told', 'last']);
  expect(await verifyChain(storage.db, 'g1')).toMatchObject({ ok: true });
});

test('while the store is away events wait on disk, and come in their order when it is back', async () => {
  const { stream, queue, down } = await fresh();
  await stream.write(userLogin, login('first'));
  down.is = true;
  for (const name of ['second', 'third']) await stream.write(userLogin, login(name));
  expect(queue.waiting).toBe(2);

  down.is = false;
  await stream.write(userLogin, login('fourth'));

  await vi.waitFor(async () => expect(await users()).toEqual(['first', 'second', 'third', 'fourth']), {
    timeout: 4_000,
  });
  await stream.close();
  const delayed = await storage.db.selectFrom('event').select('data').where('code', '=', 'GH334W').executeTakeFirst();
  expect(JSON.parse(delayed!.data)).toMatchObject({ error: 'the store is away' });
  expect(await verifyChain(storage.db, 'g1')).toMatchObject({ ok: true });
});

test('what waited when the gateway was killed is stored after the next start, once', async () => {
  const { stream, down, folder, queue } = await fresh();
  down.is = true;
  for (const name of ['one', 'two', 'three']) await stream.write(userLogin, login(name));
  // As a kill in the middle of a replay leaves it: stored, but still in the queue, and a line half written.
  const waiting = readFileSync(join(folder, 'waiting.jsonl'), 'utf8');
  await stream.close();
  const first = await open({ folder });
  await vi.waitFor(async () => expect(await users()).toHaveLength(3), { timeout: 4_000 });
  await first.stream.close();
  appendFileSync(join(folder, 'waiting.jsonl'), `${waiting}{"uid":"half`);

  const second = await open({ folder });
  await second.stream.write(userLogin, login('four'));
  await vi.waitFor(async () => expect(await users()).toEqual(['one', 'two', 'three', 'four']), { timeout: 4_000 });

  await vi.waitFor(() => expect(second.queue.waiting).toBe(0), { timeout: 4_000 });
  expect(queue.waiting).toBe(3);
  await second.stream.close();
});

test('in strict mode what cannot be recorded is refused', async () => {
  const { stream, down, queue } = await fresh({ strict: true });
  down.is = true;

  await expect(stream.write(userLogin, login('ann'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(queue.waiting).toBe(0);
  await stream.close();
});

test('a full queue refuses instead of losing events', async () => {
  const { stream, down, queue } = await fresh({ maxBytes: 1_000 });
  down.is = true;
  await stream.write(userLogin, login('fits'));

  const refused = await Promise.allSettled(
    Array.from({ length: 4 }, (_, index) => stream.write(userLogin, login(`late-${index}`))),
  );

  expect(refused.map(({ status }) => status)).toContain('rejected');
  expect(queue.waiting).toBe(1);
  await stream.close();
});

test('an event the store will not take is kept as a dead letter and told', async () => {
  const { stream, down, queue } = await fresh();
  down.refuses = 'no such column';
  await stream.write(userLogin, login('ann'));
  down.refuses = '';

  await stream.write(userLogin, login('bob'));
  await stream.close();

  expect(queue.deadLetters).toBeGreaterThanOrEqual(1);
  expect(readFileSync(queue.deadFile, 'utf8')).toContain('"reason":"no such column"');
  expect(await users()).toEqual(['bob']);
});

test('in strict mode only what the store will not take is refused, and what came with it is stored', async () => {
  const { stream } = await fresh({ strict: true });
  await sql`create trigger poison before insert on event when new.user = 'poison' begin select raise(abort, 'poison'); end`.execute(
    storage.db,
  );

  const written = ['ann', 'poison', 'bob'].map((name) => stream.write(userLogin, login(name)));

  expect((await Promise.allSettled(written)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(await users()).toEqual(['ann', 'bob']);
  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: true, length: 2 });
  await stream.close();
});

test('a text of a megabyte is bounded on its way', async () => {
  const { stream } = await fresh();
  const error = 'x'.repeat(1_048_576);

  await stream.write(userLoginFailed, { user: 'ann', success: false, method: 'local', error });

  const { data } = await storage.db.selectFrom('event').select('data').executeTakeFirstOrThrow();
  expect(data.length).toBeLessThan(20_000);
  await stream.close();
});
