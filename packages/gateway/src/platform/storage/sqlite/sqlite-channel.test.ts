import { expect, test } from 'vitest';
import { SqliteChannel } from './sqlite-channel.ts';
import type { SqliteRequest } from './sqlite-messages.ts';

const READ = { type: 'read', sql: 'select 1', params: [] } as const;

test('what is asked for in one turn travels together, however many promises lie in between', async () => {
  const batches: number[] = [];
  const channel = new SqliteChannel(
    (receive) => ({
      send(batch: SqliteRequest[]) {
        batches.push(batch.length);
        setImmediate(() => receive(batch.map(({ id }) => ({ id, answer: { columns: [], values: [] } }))));
      },
      close: async () => {},
    }),
    () => {},
  );
  const later = async (steps: number) => {
    for (let step = 0; step < steps; step += 1) await undefined;
    return await channel.call(READ);
  };
  // Asked by promises, as nearly everybody does.
  await Promise.resolve().then(() => Promise.all([later(0), later(3), later(9)]));

  expect(batches).toEqual([3]);
});
