import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openMemoryChannel } from './sqlite-channel.ts';
import { SqliteWriter } from './sqlite-writer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function openWriter() {
  const writer = new SqliteWriter(openMemoryChannel(), { maxWaitMs: 30_000, onPublished: () => {} });
  await writer.run({ type: 'alone', sql: 'create table t (id integer primary key)', params: [] });
  return writer;
}

const insert = { type: 'write', sql: 'insert into t default values', params: [] } as const;

test('writes wait for the open transaction and follow it in order', async () => {
  const writer = await openWriter();
  const turn = await writer.take();
  await turn.run(insert.sql, []);
  const order: string[] = [];

  const single = writer.run(insert).then(({ lastId }) => order.push(`single ${lastId}`));
  const next = writer.take().then((second) => {
    order.push('next');
    return second.rollback();
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(order).toEqual([]);
  await turn.commit();
  await Promise.all([single, next]);

  expect(order.toSorted()).toEqual(['next', 'single 2']);
});

test('a transaction that its owner forgot is rolled back when others wait', async () => {
  const writer = await openWriter();
  const forgotten = await writer.take();
  await forgotten.run(insert.sql, []);
  const waiting = writer.run(insert);

  await vi.advanceTimersByTimeAsync(17_000);

  expect(await waiting).toMatchObject({ lastId: 1 });
  await expect(forgotten.run(insert.sql, [])).rejects.toThrow('the transaction is over');
  await expect(forgotten.commit()).rejects.toThrow('idle for too long');
});

test('whoever waits too long for a busy transaction is refused', async () => {
  const writer = await openWriter();
  const busy = await writer.take();
  const keepBusy = setInterval(() => void busy.run('select 1', []), 1_000);
  const waiting = writer.run(insert).catch((error: unknown) => error);

  await vi.advanceTimersByTimeAsync(32_000);
  clearInterval(keepBusy);

  expect(String(await waiting)).toContain('the store is busy');
  await busy.commit();
  expect(await writer.run(insert)).toMatchObject({ lastId: 1 });
});
