/** Commands of MongoDB as they pass: cut anywhere, broken, and meant to be read in two ways. */
import { Binary, Decimal128, type Document, Long, MaxKey, MinKey, ObjectId, serialize, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodySkim } from './body-skim.ts';
import { Commands } from './commands.ts';
import { HEAD_BYTES, msg, OP } from './messages.ts';
import { showCommand } from './show-command.ts';

const ask = (id: number, command: Document) => msg(id, Buffer.from(serialize(command)));
const answer = (to: number, reply: Document) => msg(900 + to, Buffer.from(serialize(reply)), to);
const list = (name: string, documents: Document[]) => {
  const bytes = Buffer.concat([
    Buffer.from(`\0\0\0\0${name}\0`),
    ...documents.map((each) => Buffer.from(serialize(each))),
  ]);
  bytes.writeInt32LE(bytes.length);
  return Buffer.concat([Buffer.of(1), bytes]);
};
const withSection = (message: Buffer, section: Buffer) => {
  const whole = Buffer.concat([message, section]);
  whole.writeInt32LE(whole.length);
  return whole;
};

function session({ isReadOnly = false, names = ['shop'] } = {}) {
  const told: { command: string; ok: boolean; query: string; sha256?: string; rows: number; error: string }[] = [];
  const replies: Buffer[] = [];
  const commands = new Commands({
    teller: {
      asked: () => 0,
      answered: (command, { ok, rows, error }, { text, sha256 }) =>
        told.push({ command, ok, rows, error, query: text, ...(sha256 === undefined ? {} : { sha256 }) }),
    },
    rules: {
      mayUse: (database) => names.includes(database) || names.includes('*'),
      mayUseAll: () => names.includes('*'),
      isReadOnly,
    },
    reply: (message) => replies.push(message),
    full() {},
    room() {},
    now: () => 0,
  });
  return { told, replies, commands };
}

const LARGE = {
  insert: 'a',
  documents: Array.from({ length: 90 }, (_, n) => ({ n, text: 'x'.repeat(1_000) })),
  $db: 'shop',
};

test('however the bytes are cut, the same passes and the same is told', () => {
  const sent = Buffer.concat([
    ask(1, { find: 'a', filter: { n: 1 }, $db: 'shop' }),
    withSection(ask(2, { insert: 'a', $db: 'shop' }), list('documents', [{ a: 1 }, { b: 2 }])),
    ask(3, LARGE),
    ask(4, { ping: 1, $db: 'admin' }),
  ]);
  const heard = Buffer.concat([
    answer(1, { cursor: { firstBatch: [{ a: 1 }, { b: 2 }, { c: 3 }], id: Long.ZERO }, ok: 1 }),
    answer(2, { n: 2, ok: 1 }),
    answer(3, { ok: 0, errmsg: 'no space', code: 14_031 }),
    answer(4, { ok: 1 }),
  ]);
  const cut = (bytes: Buffer, sizes: number[], take: (piece: Buffer) => void) => {
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length]!;
      take(bytes.subarray(at, at + size));
      at += size;
    }
  };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
      const { told, commands } = session();
      const passed: Buffer[] = [];
      cut(sent, sizes, (piece) => passed.push(commands.client.feed(piece)));
      cut(heard, sizes, (piece) => commands.server.feed(piece));

      expect(Buffer.concat(passed).equals(sent)).toBe(true);
      expect(commands.server.isBetween).toBe(true);
      expect(commands.isBusy).toBe(false);
      expect(told).toMatchObject([
        { command: 'find', ok: true, rows: 3, query: '{"find": "a", "filter": {"n": 1}, "$db": "shop"}' },
        { command: 'insert', ok: true, rows: 2, query: expect.stringContaining('"documents": [{"a": 1}, {"b": 2}]') },
        { command: 'insert', ok: false, error: 'no space' },
      ]);
    }),
    { numRuns: 60 },
  );
});

test.each<[string, Buffer, RegExp]>([
  ['two databases', msg(1, twice()), /'\$db' twice/],
  ['two commands', withSection(ask(1, { find: 'a', $db: 'shop' }), second()), /two commands/],
  ['a list that is called $db', withSection(ask(1, { find: 'a', $db: 'shop' }), list('$db', [{}])), /called '\$db'/],
  [
    'a section that does not fit',
    withSection(ask(1, { find: 'a', $db: 'shop' }), Buffer.of(1, 255, 255, 0, 0)),
    /section/,
  ],
  ['compressed bytes', withOp(ask(1, { ping: 1 }), OP.compressed), /kind 2012/],
  ['an old question', withOp(ask(1, { find: 'a' }), OP.query), /question/],
  ['a length of nothing', Buffer.from('00000000010000000000000000000000', 'hex'), /0 bytes/],
  ['a length of two gigabytes', Buffer.from('ffffff7f0100000000000000dd070000', 'hex'), /2147483647 bytes/],
])('%s: no message that passes', (_, bytes, words) => {
  expect(() => session().commands.client.feed(bytes)).toThrow(words);
});

function twice(): Buffer {
  const one = Buffer.from(serialize({ find: 'a', $db: 'shop' }));
  const two = Buffer.from(serialize({ $db: 'private' }));
  const both = Buffer.concat([one.subarray(0, -1), two.subarray(4)]);
  both.writeInt32LE(both.length);
  return both;
}

function second(): Buffer {
  return Buffer.concat([Buffer.of(0), Buffer.from(serialize({ find: 'b', $db: 'private' }))]);
}

function withOp(message: Buffer, op: number): Buffer {
  const changed = Buffer.from(message);
  changed.writeInt32LE(op, 12);
  return changed;
}

/** As servers up to version 5.0 take it: flags, a name, how many to skip and to return, and what is asked. */
function oldQuestion(collection: string, command: Document, flags = 0): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), Buffer.from(`${collection}\0`), Buffer.alloc(8), serialize(command)]);
  body.writeUInt32LE(flags);
  const message = Buffer.concat([Buffer.alloc(HEAD_BYTES), body]);
  for (const [at, value] of [message.length, 1, 0, OP.query].entries()) message.writeInt32LE(value, at * 4);
  return message;
}

test('of the old kind, only hello to no collection passes', () => {
  const hello = { isMaster: 1 };

  expect(session().commands.client.feed(oldQuestion('admin.$cmd', hello))).not.toHaveLength(0);
  expect(() => session().commands.client.feed(oldQuestion('shop.orders', { isMaster: { $exists: false } }))).toThrow(
    /'shop.orders'/,
  );
  expect(() => session().commands.client.feed(oldQuestion('admin.$cmd', hello, 64))).toThrow(/flags/);
});

test('what proves a password is told no more than the password', () => {
  const { told, commands } = session();
  commands.client.feed(
    ask(8, { saslStart: 1, mechanism: 'PLAIN', payload: new Binary(Buffer.from('\0me\0hunter2')), $db: 'x' }),
  );

  expect(told[0]?.query).toContain('"payload": "***"');
});

test.each([{ find: 'a', $db: 'private' }, { find: 'a' }, { find: 'a', $db: 1 }, { saslStart: 1, $db: 'shop' }])(
  '%j passes to nobody, and is answered',
  (command) => {
    const { told, replies, commands } = session();

    expect(commands.client.feed(ask(5, command))).toHaveLength(0);
    expect(replies[0]?.readInt32LE(8)).toBe(5);
    expect(told).toMatchObject([{ ok: false }]);
  },
);

test.each<[Document, boolean]>([
  [{ find: 'a', $db: 'shop' }, true],
  [{ aggregate: 'a', pipeline: [{ $match: {} }], $db: 'shop' }, true],
  [{ aggregate: 'a', pipeline: [{ $out: 'b' }], $db: 'shop' }, false],
  [{ aggregate: 'a', pipeline: [{ $merge: { into: 'b' } }], $db: 'shop' }, false],
  [{ insert: 'a', documents: [{}], $db: 'shop' }, false],
  [{ findAndModify: 'a', $db: 'shop' }, false],
  [{ somethingNew: 1, $db: 'shop' }, false],
])('where only reading is allowed, %j passes: %s', (command, passes) => {
  const { commands } = session({ isReadOnly: true });

  expect(commands.client.feed(ask(7, command)).length > 0).toBe(passes);
});

test.each<Document>([
  { createUser: 'eve', pwd: 'hunter2', roles: [] },
  { explain: { updateUser: 'eve', pwd: 'hunter2' } },
  { setParameter: 1, ldapQueryPassword: 'hunter2' },
  { setParameter: 1, opensslCipherConfig: 'x', tlsCertificateKeyFilePassword: { $literal: 'hunter2' } },
])('a password in %j is told to nobody, nor its hash', (command) => {
  const { text, hasSecret } = showCommand({ body: Buffer.from(serialize(command)), lists: [] }, 4_096);

  expect(text).toContain('"***"');
  expect(text).not.toContain('hunter2');
  expect(hasSecret).toBe(true);
});

test('what people keep under such a name is told as it is', () => {
  const command = { insert: 'a', documents: [{ password: 'of the door' }], $db: 'shop' };
  expect(showCommand({ body: Buffer.from(serialize(command)), lists: [] }, 4_096)).toMatchObject({
    text: expect.stringContaining('{"password": "of the door"}'),
    hasSecret: false,
  });
});

test('of what is cut short while much waits for answers, a hash is told', () => {
  const { told, commands } = session();
  const text = 'x'.repeat(60_000);
  for (let id = 1; id <= 80; id += 1) commands.client.feed(ask(id, { find: 'a', filter: { text, id }, $db: 'shop' }));
  commands.close();

  expect(told[0]?.sha256).toBeUndefined();
  expect(told[79]).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(told[79]?.query.length).toBeLessThan(300);
});

const OTHER = { db: 'private', coll: 'b' };
const nested = (stage: Document) => [{ $facet: { one: [{ $match: {} }, stage] } }];
test.each<Document>([
  { aggregate: 'a', pipeline: [{ $out: OTHER }], cursor: {}, $db: 'shop' },
  { aggregate: 'a', pipeline: [{ $merge: { into: OTHER } }], cursor: {}, $db: 'shop' },
  { aggregate: 'a', pipeline: [{ $lookup: { from: OTHER, as: 'b' } }], cursor: {}, $db: 'shop' },
  { aggregate: 1, pipeline: nested({ $unionWith: OTHER }), cursor: {}, $db: 'shop' },
  { aggregate: 'a', pipeline: nested({ $graphLookup: { from: OTHER } }), cursor: {}, $db: 'shop' },
  { aggregate: 'a', pipeline: [{ $out: { db: 1, coll: 'b' } }], cursor: {}, $db: 'shop' },
  { explain: { aggregate: 'a', pipeline: [{ $lookup: { from: OTHER } }], cursor: {} }, $db: 'shop' },
  { create: 'seen', viewOn: 'a', pipeline: [{ $lookup: { from: OTHER, as: 'b' } }], $db: 'shop' },
  { mapReduce: 'a', map: 'm', reduce: 'r', out: { replace: 'b', db: 'private' }, $db: 'shop' },
  { dataSize: 'private.a', $db: 'shop' },
  { renameCollection: 'shop.a', to: 'private.a', $db: 'shop' },
  { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'shop.a' }, { ns: 'private.a' }], $db: 'shop' },
  { applyOps: [{ op: 'i', ns: 'private.a', o: {} }], $db: 'shop' },
])('who may not use it reaches no other database by %j', (command) => {
  const { told, replies, commands } = session();
  const passed = session({ names: ['shop', 'private', '*'] }).commands.client.feed(ask(5, command));

  expect(commands.client.feed(ask(5, command))).toHaveLength(0);
  expect(replies).toHaveLength(1);
  expect(told).toMatchObject([{ ok: false, error: expect.stringContaining('you may not use') }]);
  expect(passed).toEqual(ask(5, command));
});

test('nor by stages that stand beside the command, or in one that is too long to be held', () => {
  const aggregate = { aggregate: 'a', cursor: {}, $db: 'shop' };
  const beside = withSection(ask(1, aggregate), list('pipeline', [{ $match: {} }, { $out: OTHER }]));
  const bulk = withSection(ask(2, { bulkWrite: 1, ops: [], $db: 'shop' }), list('nsInfo', [{ ns: 'private.a' }]));
  for (const message of [beside, bulk]) expect(session().commands.client.feed(message)).toHaveLength(0);

  const ids = Array.from({ length: 10_000 }, (_, n) => n);
  const long = (...stages: Document[]) =>
    ask(3, { ...aggregate, pipeline: [{ $match: { n: { $in: ids } } }, ...stages] });
  const elsewhere = long({ $out: OTHER });
  for (const size of [7, 4_096, elsewhere.length]) {
    const { commands } = session();
    const feed = () => {
      for (let at = 0; at < elsewhere.length; at += size) commands.client.feed(elsewhere.subarray(at, at + size));
    };
    expect(feed).toThrow(/too long to tell which/);
  }
  for (const here of [long(), long({ $out: 'b' }), long({ $lookup: { from: 'b', as: 'c' } })])
    expect(session().commands.client.feed(here)).toHaveLength(here.length);
});

test.each<Document>([
  { aggregate: 'a', pipeline: [{ $out: 'b' }, { $merge: { into: { db: 'shop', coll: 'b' } } }], $db: 'shop' },
  { aggregate: 'a', pipeline: [{ $match: { from: OTHER, db: 'private' } }], cursor: {}, $db: 'shop' },
  { insert: 'a', documents: [{ $out: OTHER, from: OTHER, ns: 'private.a' }], $db: 'shop' },
  { find: 'a', filter: { out: OTHER }, $db: 'shop' },
])('what is only called so in documents is nobody else’s: %j', (command) => {
  expect(session().commands.client.feed(ask(1, command))).toEqual(ask(1, command));
});

test('a long one that may not be there is stopped before its last byte', () => {
  const message = ask(6, { ...LARGE, $db: 'private' });
  const { commands } = session();
  const passed = commands.client.feed(message.subarray(0, -1));

  expect(() => commands.client.feed(message.subarray(-1))).toThrow(/'private'/);
  expect(passed.length).toBeLessThan(message.length);
});

test('bytes that are no document end in words, whatever they are', () => {
  const good = ask(1, { find: 'a', filter: { n: 1, text: 'abc' }, $db: 'shop' });
  fc.assert(
    fc.property(fc.integer({ min: HEAD_BYTES, max: good.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const changed = Buffer.from(good);
      changed[at] = byte;
      const skim = new BodySkim(new Set(['$db']), { flags: 0, length: changed.length });
      for (const attempt of [
        () => session().commands.client.feed(changed),
        () => {
          skim.feed(changed.subarray(HEAD_BYTES + 4));
          skim.close();
        },
      ])
        try {
          attempt();
        } catch (error) {
          expect(error).toMatchObject({ name: 'DbFailure' });
        }
    }),
    { numRuns: 500 },
  );
});

test('a command is shown as extended JSON, without what drivers add and without passwords', () => {
  const body = Buffer.from(
    serialize({
      updateUser: 'eve',
      pwd: 'hunter2',
      lsid: { id: 1 },
      values: [1, 2.5, true, null, 'a"b', Long.fromString('9007199254740993'), new Date(0), /a+/i],
      id: new ObjectId('0123456789abcdef01234567'),
      bytes: new Binary(Buffer.from('abc')),
      rest: [new MinKey(), new MaxKey(), new Timestamp({ t: 1, i: 2 }), Decimal128.fromString('1')],
    }),
  );
  const { text, hasSecret, isWhole } = showCommand({ body, lists: [] }, 10_000);

  expect(isWhole && hasSecret).toBe(true);
  expect(text).not.toContain('hunter2');
  expect(JSON.parse(text.replace('9007199254740993', '0'))).toMatchObject({
    updateUser: 'eve',
    pwd: '***',
    values: [
      1,
      2.5,
      true,
      null,
      'a"b',
      0,
      { $date: '1970-01-01T00:00:00.000Z' },
      { $regularExpression: { options: 'i' } },
    ],
    id: { $oid: '0123456789abcdef01234567' },
    bytes: { $binary: { base64: 'YWJj', subType: '0' } },
  });
  expect(text).not.toContain('lsid');
  expect(showCommand({ body, lists: [] }, 30)).toMatchObject({ text: `${text.slice(0, 30)}…`, isWhole: false });
});

test('a command behind a long list is shown, with what stands in the list behind it', () => {
  const { told, commands } = session();
  const documents = Array.from({ length: 200 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }));
  const body = ask(5, { insert: 'people', $db: 'shop' });
  const start = HEAD_BYTES + 4;
  const sent = Buffer.concat([body.subarray(0, start), list('documents', documents), body.subarray(start)]);
  sent.writeInt32LE(sent.length);
  for (let at = 0; at < sent.length; at += 997) commands.client.feed(sent.subarray(at, at + 997));
  commands.server.feed(answer(5, { n: 200, ok: 1 }));

  expect(told).toHaveLength(1);
  expect(told[0]!.query.slice(0, 80)).toBe(
    `{"insert": "people", "$db": "shop", "documents": [{"n": 0, "text": "${'x'.repeat(80)}`.slice(0, 80),
  );
});

test('answers that follow by themselves belong to one command, which is told at the last', () => {
  const { told, commands } = session();
  const more = (id: number, to: number, ...batch: Document[]) => {
    const message = msg(id, Buffer.from(serialize({ cursor: { nextBatch: batch, id: Long.ONE }, ok: 1 })), to);
    message.writeUInt32LE(2, HEAD_BYTES);
    return message;
  };
  commands.client.feed(ask(1, { getMore: Long.ONE, collection: 'a', $db: 'shop' }));
  commands.server.feed(Buffer.concat([more(50, 1, { a: 1 }, { a: 2 }), more(51, 50, { a: 3 })]));
  expect(told).toEqual([]);
  expect(commands.isBusy).toBe(true);
  commands.server.feed(
    msg(52, Buffer.from(serialize({ cursor: { nextBatch: [{ a: 4 }], id: Long.ZERO }, ok: 1 })), 51),
  );

  expect(told).toMatchObject([{ command: 'getMore', ok: true, rows: 4 }]);
  expect(commands.isBusy).toBe(false);
});
