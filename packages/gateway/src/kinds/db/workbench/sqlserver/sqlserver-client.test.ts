import { expect, test } from 'vitest';
import {
  begun,
  DONE,
  done,
  ended,
  failed,
  info,
  shortText,
  texts,
  token,
} from '../../../../../testing/db/tds-answers.ts';
import { packets, readHead, TYPE } from '../../engine/sqlserver/packets.ts';
import { ENCRYPTION, prelogin } from '../../engine/sqlserver/prelogin.ts';
import { Link } from '../thread/link.ts';
import { SqlserverClient } from './sqlserver-client.ts';

const VERSION = Buffer.of(16, 0, 0, 0, 0, 0);
const WELCOME = Buffer.concat([
  token(0xad, Buffer.concat([Buffer.of(1, 0x74, 0, 0, 4), shortText('SQL'), Buffer.of(16, 0, 0, 0)])),
  done(DONE.final),
]);

/** A server that answers what the test tells it to, in packets of 512 bytes and in pieces of a size. */
function serving(answer: (type: number, message: Buffer) => Buffer, pieces = 1_000_000) {
  const asked: number[] = [];
  const link: Link = new Link({
    send(bytes) {
      const message = Buffer.from(bytes);
      const { type } = readHead(message);
      asked.push(type);
      const hello = prelogin(TYPE.reply, { version: VERSION, encryption: ENCRYPTION.notSupported });
      const known = type === TYPE.prelogin ? hello : type === TYPE.login ? packets(TYPE.reply, WELCOME) : undefined;
      const reply = known ?? answer(type, message);
      queueMicrotask(() => {
        for (let at = 0; at < reply.length; at += pieces) link.hear(reply.subarray(at, at + pieces));
      });
    },
    took() {},
    hangUp() {},
  });
  return { opened: SqlserverClient.open(() => link), asked, link };
}

const reply = (...tokens: Buffer[]) => packets(TYPE.reply, Buffer.concat(tokens), 512);
const ROWS = reply(
  texts(
    ['a'],
    Array.from({ length: 200 }, (_, at) => [`row ${at}`]),
  ),
  info(7, 'so'),
  done(DONE.count, 200),
);

function collected() {
  const rows: string[] = [];
  const notices: string[] = [];
  const sink = {
    columns() {},
    row: ([cell]: (string | null)[]) => void rows.push(cell ?? ''),
    room: () => undefined,
    notice: (_severity: string, message: string) => void notices.push(message),
  };
  return { rows, notices, sink };
}

test.each([1, 7, 511, 513, 100_000])('in pieces of %i bytes the same comes', async (pieces) => {
  const client = await serving(() => ROWS, pieces).opened;
  const { rows, notices, sink } = collected();

  expect(await client.query('select a', sink)).toEqual({ tag: 'SELECT 200', rows: 200, more: false });
  expect(rows).toHaveLength(200);
  expect(notices).toEqual(['so (7)']);
});

test('what waits with its rest goes on, and what is let go of is stopped before anything else is asked', async () => {
  const stopped = reply(done(DONE.attention));
  const { opened, asked } = serving((type) => (type === TYPE.attention ? stopped : ROWS));
  const client = await opened;
  const { rows, sink } = collected();
  expect(await client.query('select a', sink, { maxRows: 3 })).toMatchObject({ rows: 3, more: true });
  expect(await client.more(sink, 4)).toMatchObject({ rows: 4, more: true });
  expect(rows.at(-1)).toBe('row 6');
  expect(await client.query('select b', sink)).toMatchObject({ rows: 200 });

  expect(asked.slice(2)).toEqual([TYPE.batch, TYPE.attention, TYPE.batch]);
});

test('the transaction that is open is named in each request, and is over when the server says so', async () => {
  const named: string[] = [];
  const { opened } = serving((_type, message) => {
    named.push(message.toString('hex', 18, 26));
    const sql = message.toString('utf16le', 30);
    if (sql.startsWith('BEGIN')) return reply(begun(), done(DONE.final));
    return sql === 'fail' ? reply(ended(10), failed(1205, 'deadlock')) : ROWS;
  });
  const client = await opened;
  await client.tell('BEGIN TRANSACTION');
  expect(client.transaction).toBe('open');
  await client.tell('select 1');
  await expect(client.tell('fail')).rejects.toMatchObject({ code: '1205', message: 'deadlock' });
  expect(client.transaction).toBe('none');
  // There is nothing to roll back any more.
  await client.tell('ROLLBACK');

  expect(named).toEqual(['0000000000000000', '0102030405060708', '0102030405060708']);
});

test('whatever the server says, what was asked is answered or the connection is closed', async () => {
  let seed = 11;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed >> 16;
  };
  const whole = reply(
    texts(
      ['a', 'b'],
      [
        ['x', null],
        ['y', 'z'],
      ],
    ),
    begun(),
    failed(1, 'no'),
  );
  for (let round = 0; round < 300; round += 1) {
    const bytes = Buffer.from(whole);
    for (let count = 0; count < 3; count += 1) bytes[random() % bytes.length] = random() & 0xff;
    const { opened, link } = serving(() => bytes, 1 + (random() % 64));
    const client = await opened;
    const settled = client.query('select a', collected().sink).then(
      () => 'answered',
      () => 'failed',
    );
    // What waits for more hears that nothing comes.
    setImmediate(() => link.cut());

    expect(['answered', 'failed']).toContain(await settled);
  }
});
