/** Samples of what MongoDB answers: cut anywhere, giant, nested, with lengths that are not true, and with what nobody may see. */
import { randomInt } from 'node:crypto';
import { type Document, Long, ObjectId, serialize } from 'bson';
import { expect, test } from 'vitest';
import { SAMPLED_ANSWER_BYTES } from '../kept-beginning.ts';
import type { RowSample } from '../statement.ts';
import { Commands } from './commands.ts';
import { FLAGS, HEAD_BYTES, msg } from './messages.ts';
import { sampleAnswer } from './sample-answer.ts';
import { ServerReader } from './server-reader.ts';

const ask = (id: number, command: Document) => msg(id, Buffer.from(serialize(command)));
const answer = (to: number, reply: Document) => msg(900 + to, Buffer.from(serialize(reply)), to);
const found = (documents: Document[], batch = 'firstBatch') => ({
  cursor: { [batch]: documents, id: Long.ZERO, ns: 'shop.a' },
  ok: 1,
});

function session(isSampled = true) {
  const samples: (RowSample | undefined)[] = [];
  const commands = new Commands({
    teller: { asked: () => 1, answered: (_command, _outcome, _query, _asked, sample) => void samples.push(sample) },
    rules: { mayUse: () => true, mayUseAll: () => true, isReadOnly: false },
    isSampled,
    reply() {},
    full() {},
    room() {},
    now: () => 0,
  });
  return { samples, commands };
}

/** To a question that may be sampled. */
function sampleOf(reply: Document, command: Document = { find: 'a', $db: 'shop' }): RowSample | undefined {
  const { samples, commands } = session();
  commands.client.feed(ask(1, command));
  commands.server.feed(answer(1, reply));
  expect(samples).toHaveLength(1);
  return samples[0];
}

const rows = (...texts: string[]): RowSample => ({
  columns: ['document'],
  rows: texts.map((text) => [text]),
  isCut: false,
});
const ID = new ObjectId('0123456789abcdef01234567');

test('documents of a cursor are rows, and any other answer is one', () => {
  expect(
    sampleOf(
      found([
        { _id: ID, a: 'é' },
        { lsid: 1, pwd: 'kept by people' },
      ]),
    ),
  ).toEqual(rows('{"_id": {"$oid": "0123456789abcdef01234567"}, "a": "é"}', '{"lsid": 1, "pwd": "kept by people"}'));
  expect(sampleOf(found([{ n: 1 }], 'nextBatch'), { getMore: Long.ONE, collection: 'a', $db: 'shop' })).toEqual(
    rows('{"n": 1}'),
  );
  expect(sampleOf(found([]))).toBeUndefined();
  expect(
    sampleOf({ values: [1, 'b'], ok: 1, $clusterTime: { signature: 'x' } }, { distinct: 'a', $db: 'shop' }),
  ).toEqual(rows('{"values": [1, "b"], "ok": 1}'));
  expect(sampleOf({ ok: 0, errmsg: 'no', code: 1 })).toBeUndefined();
});

test('fifty documents are shown, and that there are more', () => {
  const many = (count: number) => sampleOf(found(Array.from({ length: count }, (_, n) => ({ n }))));

  expect([many(50)?.rows.length, many(50)?.isCut]).toEqual([50, false]);
  expect([many(51)?.rows.length, many(51)?.isCut]).toEqual([50, true]);
});

test('wherever the stream is cut, the same is shown', () => {
  const asked = Buffer.concat([1, 2, 3].map((id) => ask(id, { find: 'a', $db: 'shop' })));
  const stream = Buffer.concat([
    answer(1, found([{ a: 1, b: { c: [true, null] } }, { d: 'x' }])),
    answer(2, { n: 2, ok: 1 }),
    answer(3, found([{ e: 1.5 }])),
  ]);
  const inPieces = (...cuts: number[]) => {
    const { samples, commands } = session();
    commands.client.feed(asked);
    const edges = [0, ...cuts, stream.length];
    for (const [index, edge] of edges.slice(1).entries()) {
      const piece = Buffer.from(stream.subarray(edges[index], edge));
      commands.server.feed(piece);
      piece.fill(0);
    }
    return samples;
  };
  const whole = [
    rows('{"a": 1, "b": {"c": [true, null]}}', '{"d": "x"}'),
    rows('{"n": 2, "ok": 1}'),
    rows('{"e": 1.5}'),
  ];

  expect(inPieces()).toEqual(whole);
  for (let cut = 1; cut < stream.length; cut += 1) expect(inPieces(cut), `cut at ${cut}`).toEqual(whole);
  expect(inPieces(...Array.from({ length: stream.length - 1 }, (_, at) => at + 1))).toEqual(whole);
});

test('a giant document is shown by its beginning, and one that is only long leaves its place to the next', () => {
  const giant = sampleOf(found([{ n: 1 }, { text: 'x'.repeat(1_000_000) }, { n: 2 }]));
  expect([giant?.rows.length, giant?.isCut, giant?.rows[0]]).toEqual([2, true, ['{"n": 1}']]);
  expect(giant?.rows[1]?.[0]).toHaveLength(16 * 1024 + 1);

  const long = sampleOf(found([{ text: 'x'.repeat(20_000) }, { n: 2 }]));
  expect([long?.rows[0]?.[0]?.endsWith('x…'), long?.rows[1], long?.isCut]).toEqual([true, ['{"n": 2}'], false]);
  // Escaped, a character is six.
  const escaped = sampleOf(found(Array.from({ length: 20 }, () => ({ text: '\x01'.repeat(3_000) }))));
  const characters = escaped?.rows.reduce((sum, [text]) => sum + (text?.length ?? 0), 0) ?? 0;
  expect([escaped?.isCut, characters <= SAMPLED_ANSWER_BYTES + 50]).toEqual([true, true]);
});

test('what is nested deeper than anybody reads is not shown, and the next document is', () => {
  let deep: Document = { end: 1 };
  for (let depth = 0; depth < 90; depth += 1) deep = { a: deep };
  const sample = sampleOf(found([deep, { n: 2 }]));

  expect(sample?.rows[0]?.[0]).toMatch(/^(\{"a": ){30,33}…$/);
  expect([sample?.rows[1], sample?.isCut]).toEqual([['{"n": 2}'], false]);
});

test('wherever the beginning of an answer ends, documents are shown up to there', () => {
  const bytes = answer(1, found([{ a: 1 }, { b: 'two' }, { c: [1, { d: /x/i }] }])).subarray(HEAD_BYTES + 4);
  const whole = sampleAnswer(bytes, bytes.length)?.rows ?? [];
  expect(whole).toHaveLength(3);
  for (let end = 0; end < bytes.length; end += 1) {
    const sample = sampleAnswer(bytes.subarray(0, end), bytes.length);
    if (!sample) continue;
    expect(sample.isCut, `at ${end}`).toBe(true);
    for (const row of sample.rows.slice(0, -1)) expect(whole).toContainEqual(row);
  }
});

test('lengths that are not true end no session that would go on without samples', () => {
  const bytes = answer(1, found([{ a: { b: 'x' }, c: 'text' }, { n: 2 }]));
  for (let round = 0; round < 600; round += 1) {
    const hostile = Buffer.from(bytes);
    for (let change = randomInt(1, 4); change > 0; change -= 1)
      hostile[randomInt(HEAD_BYTES + 4, hostile.length)] =
        [0, 1, 2, 3, 4, 0x7f, 0xff, randomInt(256)][randomInt(8)] ?? 0;
    const { samples, commands } = session();
    commands.client.feed(ask(1, { find: 'a', $db: 'shop' }));
    let malformed = '';
    try {
      commands.server.feed(hostile);
    } catch (error) {
      malformed = String(error);
    }
    const withoutSamples = session(false);
    withoutSamples.commands.client.feed(ask(1, { find: 'a', $db: 'shop' }));
    let same = '';
    try {
      withoutSamples.commands.server.feed(hostile);
    } catch (error) {
      same = String(error);
    }
    expect(malformed, hostile.toString('hex')).toBe(same);
    expect(samples).toHaveLength(malformed === '' ? 1 : 0);
  }
});

const SECRET = found([{ credentials: { 'SCRAM-SHA-256': { storedKey: 'hush' } } }]);

test.each<[string, Document, Document]>([
  ['users', { usersInfo: 1, showCredentials: true, $db: 'admin' }, { users: [{ user: 'a' }], ok: 1 }],
  ['what has a password in it', { createUser: 'u', pwd: 'hush', $db: 'shop' }, { ok: 1 }],
  ['parameters', { getParameter: '*', $db: 'admin' }, { ldapQueryUser: 'x', ok: 1 }],
  ['how it was started', { getCmdLineOpts: 1, $db: 'admin' }, { argv: ['--x'], ok: 1 }],
  ['collections of users', { find: 'system.users', $db: 'admin' }, found([{ a: 1 }])],
  ['their next documents', { getMore: Long.ONE, collection: 'system.keys', $db: 'admin' }, found([{ a: 1 }])],
  [
    'what joins them',
    { aggregate: 'a', pipeline: [{ $lookup: { from: 'system.users', as: 'u', pipeline: [] } }], $db: 'admin' },
    found([{ a: 1 }]),
  ],
  ['what shows them under another name', { find: 'a', $db: 'admin' }, SECRET],
  [
    'what is too long to be looked at',
    { find: 'a', filter: { x: 'y'.repeat(100_000) }, $db: 'shop' },
    found([{ a: 1 }]),
  ],
])('nothing is told of %s', (_what, command, reply) => {
  expect(sampleOf(reply, command)).toBeUndefined();
});

test('of what is answered again and again the first is shown, and of no more than a few at once', () => {
  const { samples, commands } = session();
  const again = (id: number, to: number, reply: Document) => {
    const message = msg(id, Buffer.from(serialize(reply)), to);
    message.writeUInt32LE(FLAGS.moreToCome, HEAD_BYTES);
    return message;
  };
  for (let id = 1; id <= 20; id += 1) commands.client.feed(ask(id, { find: 'a', $db: 'shop' }));
  for (let id = 1; id <= 20; id += 1) commands.server.feed(again(100 + id, id, found([{ first: id }])));
  for (let id = 1; id <= 20; id += 1)
    commands.server.feed(msg(200 + id, Buffer.from(serialize(found([{ last: id }]))), 100 + id));

  expect(samples.slice(0, 16).map((sample) => [sample?.rows, sample?.isCut])).toEqual(
    Array.from({ length: 16 }, (_, n) => [[[`{"first": ${n + 1}}`]], true]),
  );
  expect(samples.slice(16).map((sample) => sample?.rows)).toEqual([17, 18, 19, 20].map((n) => [[`{"last": ${n}}`]]));
});

test('of an answer no more is held than is shown, and nothing where nobody wants it', () => {
  const held: (number | undefined)[] = [];
  const message = answer(1, found([{ text: 'x'.repeat(300_000) }]));
  for (const keeps of [true, false]) {
    const reader = new ServerReader(({ beginning }) => void held.push(beginning?.length), keeps);
    for (let at = 0; at < message.length; at += 1_000) reader.feed(message.subarray(at, at + 1_000));
  }

  expect(held).toEqual([SAMPLED_ANSWER_BYTES, undefined]);
});
