/** The tree of MongoDB before servers and documents that are meant to fill the memory of the thread which all workbenches share. */
import { expect, test } from 'vitest';
import type { QueryOptions, ResultSink, SqlClient } from '../thread/sql-client.ts';
import { mongoLevel } from './mongo-tree.ts';

const TERMS = { database: 'shop', dbNames: ['*'] };

/** A server that gives so many documents, each as long as it may be. */
function answering(count: number, cellOf: (keepBytes: number) => string) {
  const asked = { given: 0, cancelled: 0, keepBytes: 0 };
  const client = {
    async query(_text: string, sink: ResultSink, { keepBytes = 0 }: QueryOptions = {}) {
      asked.keepBytes = keepBytes;
      const cell = cellOf(keepBytes);
      for (; asked.given < count && asked.cancelled === 0; asked.given += 1) sink.row([cell], []);
      return { tag: '', rows: asked.given, more: false };
    },
    letGo: async () => {},
    async cancel() {
      asked.cancelled += 1;
    },
  } as Pick<SqlClient, 'query' | 'letGo' | 'cancel'> as SqlClient;
  return { client, asked };
}

test.each([[['shop']], [['shop', 'orders', 'Indexes']], [[]]])(
  'a server that answers %j without end is told to stop before it has filled anything',
  async (path) => {
    const { client, asked } = answering(20_000, (keepBytes) => `{"name": "${'x'.repeat(keepBytes - 16)}", "key": 1}`);

    await expect(mongoLevel(client, TERMS, path)).rejects.toMatchObject({ code: 'too_large' });
    expect(asked.cancelled).toBe(1);
    expect(asked.given * asked.keepBytes).toBeLessThan(10 * 1024 * 1024);
  },
);

test('of documents whose fields are sought little is read, and names without end are left out', async () => {
  const { client, asked } = answering(50, () => `{"_id": 1, "${'x'.repeat(2_000)}": {"y": 1}, "n": {"m": "a"}}`);

  const { nodes } = await mongoLevel(client, TERMS, ['shop', 'orders', 'Fields']);
  expect(nodes.map(({ name }) => name)).toEqual(['_id', 'n', 'n.m']);
  expect(asked).toEqual({ given: 50, cancelled: 0, keepBytes: 64 * 1024 });
});
