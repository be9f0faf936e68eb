import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KINDS, result, texts } from '../../../../../testing/db/tds-answers.ts';
import { DbFailure } from '../db-failure.ts';
import type { Outcome, RowSample } from '../statement.ts';
import { ATTENTION, errorReply, HEAD_BYTES, packets, STATUS, STOPPED, TYPE } from './packets.ts';
import type { SqlRequest } from './read-request.ts';
import { Requests } from './requests.ts';
import { batchPayload } from './sign-in.ts';

const DONE = Buffer.from('fd1000c1000500000000000000', 'hex');

function session(rules: { names?: string[]; isReadOnly?: boolean; keepsState?: boolean; isSampled?: boolean } = {}) {
  const samples: unknown[] = [];
  const told: { query: string; values: readonly string[]; ok: boolean; rows: number; error: string }[] = [];
  const said: Buffer[] = [];
  const left: string[] = [];
  const answered = ({ query, values }: SqlRequest, { ok, rows, error }: Outcome, sample?: RowSample) => {
    told.push({ query: query.text, values, ok, rows, error });
    if (sample) samples.push(sample);
  };
  const { names = ['shop'], isReadOnly = false, keepsState = false, isSampled = false } = rules;
  const requests = new Requests(
    { asked: () => {}, answered },
    {
      ...{ mayUse: (name: string) => names.includes(name), mayBeIn: (name: string) => names.includes(name) },
      ...{ isReadOnly, keepsState, isSampled },
    },
    (bytes) => said.push(bytes),
    (database) => left.push(database),
  );
  return { requests, told, said, left, samples };
}

const u16 = (value: number) => Buffer.of(value & 0xff, value >> 8);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const nvarchar = (text: string) =>
  Buffer.concat([Buffer.of(0, 0, 0xe7), u16(8_000), Buffer.alloc(5), u16(text.length * 2), utf16(text)]);
const int = (value: number) => Buffer.concat([Buffer.of(0, 0, 0x26, 4, 4), u16(value), Buffer.of(0, 0)]);
const headers = batchPayload('');
const executeSql = (sql: string, ...values: Buffer[]) =>
  Buffer.concat([Buffer.of(0xff, 0xff, 10, 0, 0, 0), nvarchar(sql), ...values]);
const rpc = (...calls: Buffer[]) =>
  packets(
    TYPE.rpc,
    Buffer.concat([headers, ...calls.flatMap((call, at) => (at === 0 ? [call] : [Buffer.of(0xff), call]))]),
  );
const batch = (sql: string) => packets(TYPE.batch, batchPayload(sql), 512);
const reply = (...tokens: Buffer[]) => packets(TYPE.reply, Buffer.concat(tokens), 512);

test('whatever the cuts, the same passes and the same is told', () => {
  const asked = [
    batch(`select '${'x'.repeat(700)}'`),
    rpc(executeSql('select @a', nvarchar('@a int'), int(7)), executeSql('select 2')),
    batch('use shop'),
  ];
  const answers = [reply(DONE), reply(DONE), errorReply(2_812, 'no such thing', false)];
  const run = (cuts: readonly number[]) => {
    const { requests, told, said } = session();
    const passed: Buffer[] = [];
    for (const [at, bytes] of asked.entries()) {
      for (const piece of cutUp(bytes, cuts)) passed.push(requests.lookAtClient(piece));
      for (const piece of cutUp(answers[at]!, cuts)) requests.server.look(piece);
    }
    expect(said).toEqual([]);
    expect(requests.server.isBetween).toBe(true);
    return { passed: Buffer.concat(passed).toString('hex'), told };
  };
  const whole = run([]);
  expect(whole.passed).toBe(Buffer.concat(asked).toString('hex'));
  expect(whole.told).toMatchObject([
    { ok: true, rows: 5 },
    { query: 'EXEC sp_executesql, sp_executesql select @a select 2', values: ['@a int', '7'], ok: true },
    { query: 'use shop', ok: false, error: 'no such thing' },
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 60 }), (cuts) => {
      expect(run(cuts)).toEqual(whole);
    }),
  );
});

function cutUp(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const cut of cuts) {
    pieces.push(bytes.subarray(at, at + cut));
    at += cut;
  }
  return [...pieces, bytes.subarray(at)].filter(({ length }) => length > 0);
}

test('whatever bytes come, nothing is thrown but what ends the connection', () => {
  const near = [batch('use other'), rpc(executeSql('select 1', int(1))), reply(DONE), errorReply(1, 'x', false)];
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom(...near), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 5 }))
      .map(([sample, changes]) => {
        const changed = Buffer.from(sample);
        for (const [at, value] of changes) if (at < changed.length) changed[at] = value;
        return changed;
      }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), bytes), { maxLength: 6 }), (pieces) => {
      const { requests } = session({ isReadOnly: true });
      try {
        for (const [isClient, piece] of pieces) {
          if (isClient) requests.lookAtClient(Buffer.from(piece));
          else requests.server.look(Buffer.from(piece));
        }
      } catch (error) {
        expect(error).toBeInstanceOf(DbFailure);
      }
      requests.close();
    }),
    { numRuns: 500 },
  );
});

test('what is not judged does not pass', () => {
  const { requests, told, said } = session({ isReadOnly: true });
  expect(requests.lookAtClient(rpc(executeSql('use other select 1')))).toHaveLength(0);
  expect(requests.lookAtClient(rpc(executeSql('select 1'), executeSql('drop table t')))).toHaveLength(0);
  const anyProcedure = Buffer.concat([u16(6), utf16('sp_who'), Buffer.of(0, 0)]);
  expect(requests.lookAtClient(rpc(anyProcedure))).toHaveLength(0);
  const unknown = Buffer.concat([
    Buffer.of(0xff, 0xff, 10, 0, 0, 0),
    nvarchar('select 1'),
    Buffer.of(0, 0, 0xf4, 1, 2),
  ]);
  expect(requests.lookAtClient(rpc(unknown))).toHaveLength(0);
  expect(requests.lookAtClient(rpc(executeSql('select 1')))).not.toHaveLength(0);

  expect(said).toHaveLength(4);
  expect(told.map(({ ok }) => ok)).toEqual([false, false, false, false]);
});

test('a request that is too long is refused whole, and the next one passes', () => {
  const { requests, said } = session();
  const long = packets(TYPE.batch, batchPayload(' '.repeat(3 * 1024 * 1024)), 32_000);
  for (let at = 0; at < long.length; at += 10_000)
    expect(requests.lookAtClient(long.subarray(at, at + 10_000))).toHaveLength(0);
  expect(said).toHaveLength(1);
  expect(requests.lookAtClient(batch('select 1'))).not.toHaveLength(0);
});

test('a session keeps what was run at its beginning', () => {
  const { requests } = session({ keepsState: true });
  const asked = batch('select 1');
  asked[1] = STATUS.last | STATUS.reset;
  expect(requests.lookAtClient(asked)[1]).toBe(STATUS.last);
});

test.each([
  [TYPE.login, 'a second sign-in'],
  [TYPE.prelogin, 'a second greeting'],
  [17, 'SSPI'],
  [8, 'a token of somebody else'],
  [0x53, 'MARS'],
])('a packet of the kind %i (%s) ends it', (type) => {
  expect(() => session().requests.lookAtClient(packets(type, Buffer.alloc(20)))).toThrow(/not passed on/);
});

test('a database that the server says it is in now is looked at', () => {
  const { requests, left } = session();
  requests.lookAtClient(batch('exec elsewhere'));
  const name = utf16('private');
  const change = Buffer.concat([
    Buffer.of(0xe3),
    u16(name.length + 3),
    Buffer.of(1, name.length / 2),
    name,
    Buffer.of(0),
  ]);
  requests.server.look(reply(change, DONE));

  expect(left).toEqual(['private']);
});

test('who only reads loads nothing, and that is told', () => {
  const { requests, told, said } = session({ isReadOnly: true });
  const load = packets(TYPE.bulk, Buffer.alloc(2_000), 512);

  expect(requests.lookAtClient(load)).toHaveLength(0);
  expect(said).toHaveLength(1);
  expect(told).toMatchObject([{ query: 'BULK LOAD', ok: false }]);
});

test('that something was stopped answers what was asked before, and not what is asked next', () => {
  const { requests, told, said } = session();
  requests.lookAtClient(batch('first'));
  expect(requests.lookAtClient(ATTENTION)).toEqual(ATTENTION);
  expect(requests.lookAtClient(ATTENTION)).toHaveLength(0);
  // Its answer was on its way already.
  requests.server.look(reply(DONE));
  requests.lookAtClient(batch('second'));
  requests.server.look(STOPPED);
  expect(told).toMatchObject([{ query: 'first', ok: true }]);
  requests.lookAtClient(ATTENTION);
  requests.server.look(STOPPED);

  expect(told).toMatchObject([{ ok: true }, { query: 'second', ok: false, error: 'cancelled' }]);
  expect(said).toEqual([]);
});

test('who stops something when nothing runs hears so, and the server does not', () => {
  const { requests, told, said } = session();
  expect(requests.lookAtClient(ATTENTION)).toHaveLength(0);
  expect(said).toEqual([STOPPED]);
  requests.lookAtClient(batch('next'));
  requests.server.look(reply(DONE));

  expect(told).toMatchObject([{ query: 'next', ok: true }]);
});

test('an attention is one empty packet', () => {
  expect(() => session().requests.lookAtClient(packets(TYPE.attention, Buffer.of(1)))).toThrow(/attention/);
  const open = Buffer.from(ATTENTION);
  open[1] = 0;
  expect(() => session().requests.lookAtClient(open)).toThrow(/attention/);
});

test('packets with nothing in them do not keep a request open', () => {
  const empty = Buffer.alloc(HEAD_BYTES);
  empty[0] = TYPE.batch;
  empty.writeUInt16BE(HEAD_BYTES, 2);
  expect(() => session().requests.lookAtClient(empty)).toThrow(/empty packet/);
});

test('a request in more packets than its size can need does not pass', () => {
  const many = packets(TYPE.batch, batchPayload(' '.repeat(10_000)), HEAD_BYTES + 1);
  expect(() => session().requests.lookAtClient(many)).toThrow(/too many packets/);
});

test('a server that says it has changed more rows than there are numbers is told with the greatest', () => {
  const { requests, told } = session();
  requests.lookAtClient(batch('select 1'));
  requests.server.look(reply(Buffer.from('fd1000c100ffffffffffffffff', 'hex')));

  expect(told).toMatchObject([{ rows: Number.MAX_SAFE_INTEGER }]);
});

const named = (name: string, ...values: Buffer[]) =>
  Buffer.concat([u16(name.length), utf16(name), Buffer.of(0, 0), ...values]);

test.each(['sys.sp_executesql', '[sp_executesql]', 'SP_EXECUTESQL;1', ' sp_executesql '])(
  'what %j runs is judged',
  (name) => {
    const { requests, told } = session();
    expect(requests.lookAtClient(rpc(named(name, nvarchar('use other'))))).toHaveLength(0);
    expect(told).toMatchObject([{ ok: false, error: expect.stringContaining("'other'") }]);
  },
);

test('a procedure of another database is judged as that database is', () => {
  const { requests, told } = session();
  expect(requests.lookAtClient(rpc(named('[other ]..p')))).toHaveLength(0);
  expect(requests.lookAtClient(rpc(named('shop.dbo.p')))).not.toHaveLength(0);
  expect(told).toMatchObject([{ ok: false, error: expect.stringContaining("'other'") }]);
});

test('what stands behind a value that is not read does not pass', () => {
  const { requests, told, said } = session();
  const unknown = executeSql('select 1', Buffer.of(0, 0, 0xf4, 1, 2));
  const encrypted = executeSql('select 1', Buffer.of(0, 8, 0x38, 1, 0, 0, 0));
  const noText = Buffer.from('ffff0a0000000000a5400002000102', 'hex');
  for (const call of [unknown, encrypted, noText])
    expect(requests.lookAtClient(rpc(call, executeSql('use other')))).toHaveLength(0);

  expect(said).toHaveLength(3);
  expect(told.map(({ error }) => error)).toEqual([
    expect.stringContaining('type 0xf4'),
    expect.stringContaining('encrypted'),
    expect.stringContaining('no text'),
  ]);
});

test('more calls than anybody needs do not pass', () => {
  const { requests, told } = session();
  const call = executeSql('');
  expect(requests.lookAtClient(rpc(...Array.from({ length: 1_000 }, () => call)))).not.toHaveLength(0);
  requests.server.look(reply(DONE));
  expect(requests.lookAtClient(rpc(...Array.from({ length: 1_001 }, () => call)))).toHaveLength(0);

  expect(told).toMatchObject([{ ok: true }, { ok: false, error: expect.stringContaining('1000 calls') }]);
  expect(told[0]?.query.length).toBeLessThan(2_000);
});

test('the beginning of a result is told where results are sampled, and what cannot be read ends it alone', () => {
  const { requests, told, samples } = session({ isSampled: true });
  const many = Array.from({ length: 60 }, (_, at) => [`row ${at}`, null]);
  const answers = [
    reply(result(KINDS, [KINDS.map(({ value }) => value)]), DONE),
    reply(texts(['a', 'b'], many), DONE),
    reply(texts(['a'], [['x']]), Buffer.of(0xac, 1, 2, 3), DONE),
    reply(DONE),
  ];
  for (const answer of answers) {
    requests.lookAtClient(batch('select 1'));
    for (const piece of cutUp(answer, [5, 100, 3])) requests.server.look(piece);
  }

  expect(told.every(({ ok }) => ok)).toBe(true);
  expect(samples).toEqual([
    { columns: KINDS.map(({ name }) => name), rows: [KINDS.map(({ shown }) => shown)], isCut: false },
    { columns: ['a', 'b'], rows: many.slice(0, 50), isCut: true },
    { columns: ['a'], rows: [['x']], isCut: false },
  ]);
});

test('a procedure that is called by a text of its own does not pass, by its name nor by its number', () => {
  const byNumber = Buffer.concat([u16(0xffff), u16(14), Buffer.of(0, 0), nvarchar('other.dbo.p')]);
  for (const call of [named('sp_prepexecrpc', nvarchar('other.dbo.p')), byNumber]) {
    const { requests, told } = session();
    expect(requests.lookAtClient(rpc(call))).toHaveLength(0);
    expect(told).toMatchObject([{ ok: false, error: expect.stringContaining('sp_prepexecrpc') }]);
  }
});
