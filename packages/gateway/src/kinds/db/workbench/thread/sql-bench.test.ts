import { expect, test } from 'vitest';
import type { BenchWire } from './bench.ts';
import type { Dialect } from './dialect.ts';
import { SqlBench } from './sql-bench.ts';
import type { SqlClient } from './sql-client.ts';

test('what ran is kept before the page hears that it is done', async () => {
  const order: string[] = [];
  const done = Promise.withResolvers<void>();
  const wire = {
    terms: { webRows: 10 },
    send(text: string) {
      order.push((JSON.parse(text) as { type: string }).type);
      if (order.at(-1) === 'done') done.resolve();
    },
    ready() {},
    ran: () => order.push('ran'),
  } as unknown as BenchWire;
  const client = {
    transaction: 'none',
    spent: { workedMs: 0, waitedMs: 0 },
    onGone() {},
    query: async () => ({ tag: 'UPDATE', rows: 1, more: false }),
    letGo: async () => {},
  } as unknown as SqlClient;
  const dialect = {
    open: async () => client,
    split: (sql: string) => [{ sql, from: 0, to: sql.length }],
  } as unknown as Dialect;

  new SqlBench(wire, dialect).hear({ type: 'run', id: 1, tab: 0, sql: 'update t set n = 1' });
  await done.promise;

  expect(order).toEqual(['ran', 'done']);
});
