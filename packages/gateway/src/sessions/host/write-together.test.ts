import { passwordChanged } from '@gatehouse/contract/audit/account-events';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { verifyChain } from '../../platform/audit/chain.ts';
import { createAudit } from '../../platform/audit/emit.ts';
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

test('events and notices of a group are put down in one statement for all, in their order, and what fails leaves none', async () => {
  const storage = await openMemoryStorage();
  onTestFinished(() => storage.close());
  const asked: string[] = [];
  const db = storage.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode') asked.push(node.into?.table.identifier.name ?? '');
      if (node.kind === 'UpdateQueryNode') asked.push('end of the chain');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const together = createWriteTogether(db);
  const audit = createAudit({ now: () => 0, clusterName: 'c1', chain: 'g1' });
  const write = (user: string, isWrong = false) =>
    together(async (tx) => {
      await audit.emit(tx, passwordChanged, { user });
      await publish(tx, { topic: 'test', id: user });
      if (isWrong) throw new Error('a mistake');
    });
  const names = Array.from({ length: 30 }, (_, n) => `user-${n}`);
  // Alone: the others come while it is written.
  const first = write('first');
  await Promise.all([first, ...names.map((name) => write(name))]);

  expect(asked.filter((what) => what === 'change')).toHaveLength(2);
  const told = async () =>
    (await db.selectFrom('event').select('user').orderBy('id').execute()).map(({ user }) => user);
  expect(await told()).toEqual(['first', ...names]);
  expect(await verifyChain(db, 'g1')).toEqual({ ok: true, length: 31 });
  const again = [write('again'), write('behind'), write('wrong', true), write('last')];
  expect((await Promise.allSettled(again)).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  ]);
  expect((await told()).slice(31)).toEqual(['again', 'behind', 'last']);
  expect(await verifyChain(db, 'g1')).toEqual({ ok: true, length: 34 });
});
