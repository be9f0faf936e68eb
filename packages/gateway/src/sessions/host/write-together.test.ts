import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { currentRequestId, withinRequest } from '../../platform/audit/request-scope.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { createWriteTogether } from './write-together.ts';

async function world() {
  const storage = await openMemoryStorage();
  onTestFinished(() => storage.close());
  const { db } = storage;
  let commits = 0;
  const transaction = db.transaction.bind(db);
  db.transaction = () => {
    commits += 1;
    return transaction();
  };
  const written = async () =>
    (await db.selectFrom('change').select('id').orderBy('position').execute()).map(({ id }) => id);
  const put = (id: string) => async (tx: Tx) => {
    await publish(tx, { topic: 'test', id });
    return id;
  };
  return { together: createWriteTogether(db), commits: () => commits, written, put };
}

test('what comes while something is written shares the next transaction, in its order', async () => {
  const { together, commits, written, put } = await world();
  const ids = Array.from({ length: 40 }, (_, n) => `n${n}`);

  expect(await Promise.all(ids.map((id) => together(put(id))))).toEqual(ids);
  expect(await written()).toEqual(ids);
  // One that came alone, a whole group, and the rest.
  expect(commits()).toBe(3);
});

test('nobody is told that it is written before it is, nor loses it by what others do wrong', async () => {
  const { together, written, put } = await world();
  const seen: string[][] = [];
  const wrong = async (tx: Tx) => {
    await put('never')(tx);
    throw new Error('a mistake');
  };
  const all = await Promise.allSettled(
    [
      together(put('first')),
      ...['before', 'behind'].map((id, at) => [
        together(put(id)).then(async () => void seen.push(await written())),
        ...(at === 0 ? [together(wrong)] : []),
      ]),
    ].flat(),
  );

  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await written()).toEqual(['first', 'before', 'behind']);
  for (const [at, id] of ['before', 'behind'].entries()) expect(seen[at]).toContain(id);
});

test('each is done within the call that asked for it', async () => {
  const { together } = await world();
  const calls = ['one', 'two', 'three'];
  const asked = calls.map((call) => withinRequest(call, () => together(async () => currentRequestId())));

  expect(await Promise.all([...asked, together(async () => currentRequestId())])).toEqual([...calls, undefined]);
});
