import { expect, test } from 'vitest';
import { currentRequestId, withinRequest } from '../../platform/audit/request-scope.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { createEndWriter, type EndedSession } from './write-ends.ts';

const ended = (id: string) => ({ session: { id }, end: { cause: 'closed', message: '' }, last: {} }) as EndedSession;

/** A store whose transactions take a turn each. */
function world(isBad: (id: string) => boolean = () => false, deedsWritten = async () => {}) {
  const transactions: string[][] = [];
  const db = {
    transaction: () => ({
      async execute(work: (tx: never) => Promise<void>) {
        const written: string[] = [];
        await new Promise(setImmediate);
        await work(written as never);
        transactions.push(written);
      },
    }),
  } as unknown as Db;
  const write = createEndWriter(
    db,
    async (tx, { session }) => {
      if (isBad(session.id)) throw new Error(`cannot write ${session.id}`);
      (tx as unknown as string[]).push(session.id);
    },
    deedsWritten,
  );
  return { write, transactions };
}

test('one is written at once, and those that end meanwhile together, in their order', async () => {
  const { write, transactions } = world();
  const ids = Array.from({ length: 1_000 }, (_, n) => String(n));
  await Promise.all(ids.map((id) => write(ended(id))));

  expect(transactions.flat()).toEqual(ids);
  expect(transactions[0]).toEqual(['0']);
  expect(transactions.length).toBeLessThan(20);
});

test('one that cannot be written keeps nobody else from being so, and is told to who waits for it', async () => {
  const { write, transactions } = world((id) => id === '3');
  const all = await Promise.allSettled(['0', '1', '2', '3', '4'].map((id) => write(ended(id))));

  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(transactions.flat()).toEqual(['0', '1', '2', '4']);
  // And goes on afterwards.
  await write(ended('5'));
  expect(transactions.at(-1)).toEqual(['5']);
});

test('what a session did is written before its end', async () => {
  const order: string[] = [];
  const deeds = Promise.withResolvers<void>();
  const { write } = world(
    () => {
      order.push('end');
      return false;
    },
    () => deeds.promise,
  );
  const written = write(ended('0'));
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  order.push('deeds');
  deeds.resolve();
  await written;
  expect(order).toEqual(['deeds', 'end']);
});

test('each is written within the call that ended it, whoever writes for all', async () => {
  const calls: [string, string | undefined][] = [];
  const { write } = world((id) => {
    calls.push([id, currentRequestId()]);
    return false;
  });
  await Promise.all([
    withinRequest('one', () => write(ended('0'))),
    withinRequest('two', () => write(ended('1'))),
    write(ended('2')),
  ]);

  expect(calls).toEqual([
    ['0', 'one'],
    ['1', 'two'],
    ['2', undefined],
  ]);
});
