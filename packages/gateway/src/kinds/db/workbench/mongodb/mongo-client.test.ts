import { type Document, Long, serialize } from 'bson';
import { expect, test } from 'vitest';
import { readHead, readSections } from '../../engine/mongodb/messages.ts';
import { Link } from '../thread/link.ts';
import { MongoClient } from './mongo-client.ts';

/** A server that says what the test tells it to, in pieces of a size. */
function serving(answer: (command: string, body: Buffer) => Document | Buffer, pieces = 1_000_000) {
  const asked: string[] = [];
  let isOpen = true;
  const link: Link = new Link({
    send(bytes) {
      const message = Buffer.from(bytes);
      const { body } = readSections(message);
      const command = body.toString('utf8', 5, body.indexOf(0, 5));
      asked.push(command);
      const said = command === 'isMaster' ? { ok: 1 } : answer(command, body);
      const reply = Buffer.isBuffer(said) ? said : replyTo(readHead(message).id, said);
      queueMicrotask(() => {
        for (let at = 0; at < reply.length; at += pieces) link.hear(reply.subarray(at, at + pieces));
      });
    },
    took() {},
    hangUp() {
      isOpen = false;
    },
  });
  const opened = MongoClient.open(() => link, { database: 'shop', version: '7' });
  return { opened, asked, isOpen: () => isOpen, id: () => asked.length + 1 };
}

function replyTo(id: number, answer: Document): Buffer {
  const body = serialize(answer, { checkKeys: false });
  const head = Buffer.alloc(21);
  head.writeInt32LE(21 + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(2013, 12);
  return Buffer.concat([head, body]);
}

const batch = (documents: Document[], id: number, which = 'firstBatch') => ({
  cursor: { [which]: documents, id: Long.fromNumber(id), ns: 'shop.orders' },
  ok: 1,
});

function collected() {
  const rows: string[] = [];
  const cut: number[] = [];
  const sink = {
    columns() {},
    row([cell]: (string | null)[], [long]: readonly { bytes: number }[]) {
      rows.push(cell ?? '');
      if (long) cut.push(long.bytes);
    },
    room: () => undefined,
    notice() {},
  };
  return { rows, cut, sink };
}

test.each([1, 7, 1_000])('documents are read however the bytes are cut: pieces of %i', async (pieces) => {
  const { opened } = serving(() => batch([{ a: 1 }, { b: 'x'.repeat(50) }], 0), pieces);
  const { rows, sink } = collected();
  const end = await (await opened).query('{find: "orders"}', sink, { maxRows: 10 });
  expect(end).toEqual({ tag: 'find', rows: 2, more: false });
  expect(rows).toEqual(['{"a": 1}', `{"b": "${'x'.repeat(50)}"}`]);
});

test('a result stops where it is told to, in the middle of a batch too, and goes on from there', async () => {
  const many = Array.from({ length: 25 }, (_, n) => ({ n }));
  const { opened, asked } = serving((command) =>
    command === 'find' ? batch(many, 5) : batch([{ n: 25 }], 0, 'nextBatch'),
  );
  const client = await opened;
  const { rows, sink } = collected();
  expect(await client.query('{find: "orders"}', sink, { maxRows: 10 })).toMatchObject({ rows: 10, more: true });
  expect(rows).toHaveLength(10);
  expect(await client.more(sink, 10)).toMatchObject({ rows: 10, more: true });
  expect(await client.more(sink, 10)).toMatchObject({ rows: 6, more: false });
  expect(rows).toHaveLength(26);
  expect(asked).toEqual(['isMaster', 'find', 'getMore']);
});

test('the rest of a cursor is let go of at the server', async () => {
  const { opened, asked } = serving((command) => (command === 'find' ? batch([{ n: 1 }], 5) : { ok: 1 }));
  const client = await opened;
  const { sink } = collected();
  expect(await client.query('{find: "orders"}', sink, { maxRows: 1 })).toMatchObject({ more: true });
  await client.letGo();
  expect(asked.at(-1)).toBe('killCursors');
  expect(client.isSuspended).toBe(false);
});

test('a cursor that gives nothing and never ends keeps nobody waiting', async () => {
  const { opened, asked } = serving((command) => batch([], 5, command === 'find' ? 'firstBatch' : 'nextBatch'));
  const client = await opened;
  const { sink } = collected();
  expect(await client.query('{find: "orders"}', sink, { maxRows: 10 })).toMatchObject({ rows: 0, more: true });
  await expect(client.query('{find: "orders"}', sink)).rejects.toThrow('does not say that these were all');
  expect(asked.length).toBeLessThan(8);
});

test('a long document is cut and says how long it is, and what follows it is whole', async () => {
  const { opened } = serving(() => batch([{ big: 'x'.repeat(500_000) }, { after: 1 }], 0), 4_096);
  const { rows, cut, sink } = collected();
  await (await opened).query('{find: "orders"}', sink, { maxRows: 10 });
  expect(rows[0]?.length).toBeLessThan(66_000);
  expect(cut).toEqual([500_015]);
  expect(rows[1]).toBe('{"after": 1}');
});

test('an answer that is no batch is one document, and says how it went behind a long one too', async () => {
  const { opened } = serving((command) =>
    command === 'long'
      ? { log: 'x'.repeat(500_000), ok: 0, errmsg: 'no \u202esuch\n thing', code: 26 }
      : { n: 3, ok: 1 },
  );
  const client = await opened;
  const { rows, sink } = collected();
  await client.query('{count: "orders"}', sink);
  expect(rows).toEqual(['{"n": 3, "ok": 1}']);
  await expect(client.query('{long: 1}', sink)).rejects.toMatchObject({
    code: '26',
    message: String.raw`no \u{202e}such\n thing`,
  });
});

test.each<[string, (id: number) => Document | Buffer, string]>([
  ['another number', (id) => replyTo(id + 7, { ok: 1 }), 'the database sent an answer that nobody asked for'],
  [
    'another database',
    () => ({ ...batch([], 5), cursor: { firstBatch: [], id: Long.ONE, ns: 'admin.x' } }),
    "the database sent a cursor of 'admin.x', which was not asked for",
  ],
  [
    'a cursor without a name',
    () => ({ cursor: { firstBatch: [], id: Long.ONE }, ok: 1 }),
    'the database sent a cursor without a number or a name',
  ],
  [
    'a batch of numbers',
    () => ({ cursor: { firstBatch: [1], id: Long.ZERO, ns: 'shop.x' }, ok: 1 }),
    'the database sent a batch of something else than documents',
  ],
  ['a length beyond all', (id) => wrongLength(id, 0x7fff_ffff), 'the database sent a message of 2147483647 bytes'],
  ['a length of nothing', (id) => wrongLength(id, 3), 'the database sent a message of 3 bytes'],
  [
    'a document longer than its message',
    (id) => wrongSize(id),
    'the database sent a message with a section that it cannot have',
  ],
])('what is no answer is refused in words, and closes the connection: %s', async (_, answer, message) => {
  const server = serving(() => answer(server.id() - 1 + 1));
  const client = await server.opened;
  const { sink } = collected();
  await expect(client.query('{find: "orders"}', sink)).rejects.toThrow(message);
  expect(server.isOpen()).toBe(false);
  await expect(client.query('{find: "orders"}', sink)).rejects.toThrow(message);
});

function wrongLength(id: number, length: number): Buffer {
  const reply = replyTo(id, { ok: 1 });
  reply.writeInt32LE(length, 0);
  return reply;
}

function wrongSize(id: number): Buffer {
  const reply = replyTo(id, { ok: 1 });
  reply.writeInt32LE(10_000, 21);
  return reply;
}

test.each([
  ['{find: }', 'bad_request'],
  ['5', 'bad_request'],
  ['{}', 'bad_request'],
  ['{$db: "shop"}', 'bad_request'],
  ['{find: "a", $db: 5}', 'bad_request'],
  ['{find: "a", $db: "x", $db: "y"}', 'bad_request'],
])('%s is no command', async (text, code) => {
  const { opened, asked } = serving(() => ({ ok: 1 }));
  const { sink } = collected();
  await expect((await opened).query(text, sink)).rejects.toMatchObject({ code });
  expect(asked).toEqual(['isMaster']);
});

test('who closes it hears of it, also while a document is held', async () => {
  const { opened } = serving(() => batch([{ n: 1 }, { n: 2 }], 0));
  const client = await opened;
  const { sink } = collected();
  let gone = 0;
  client.onGone(() => {
    gone += 1;
  });
  expect(await client.query('{find: "orders"}', sink, { maxRows: 1 })).toMatchObject({ more: true });
  await client.letGo();
  expect(gone).toBe(1);
  await expect(client.query('{find: "orders"}', sink)).rejects.toThrow('closed');
});
