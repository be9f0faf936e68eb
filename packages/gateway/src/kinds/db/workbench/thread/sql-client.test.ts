import { expect, test } from 'vitest';
import { ask, type ResultSink, type SqlClient, SqlError } from './sql-client.ts';

function answering(query: (sink: ResultSink) => Promise<void>) {
  const told = { cancels: 0 };
  const client = {
    query: async (_sql: string, sink: ResultSink) => query(sink),
    async cancel() {
      told.cancels += 1;
    },
  } as unknown as SqlClient;
  return { client, told };
}

test('a server that answers a question of ours without end is told to stop, once, and nothing more is kept', async () => {
  const cell = 'x'.repeat(1024 * 1024);
  const { client, told } = answering(async (sink) => {
    for (let row = 0; row < 100; row += 1) sink.row([cell, null], []);
    throw new SqlError('57014', 'canceling statement');
  });

  await expect(ask(client, 'select')).rejects.toThrow('more than can be shown');
  expect(told.cancels).toBe(1);
});

test('an answer that fails says why, and one that fits is whole', async () => {
  const failing = answering(async () => {
    throw new SqlError('42601', 'syntax error');
  });
  await expect(ask(failing.client, 'selct')).rejects.toThrow('syntax error');
  const { client, told } = answering(async (sink) => sink.row(['a', null], []));
  expect(await ask(client, 'select')).toEqual([['a', null]]);
  expect(told.cancels).toBe(0);
});
