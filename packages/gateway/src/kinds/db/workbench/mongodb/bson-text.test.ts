import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalBytes, decimalText } from './decimal.ts';
import { withoutSecrets } from './read-command.ts';
import { showDocument } from './show-document.ts';
import { writeBson } from './write-bson.ts';

const OID = '65a000000000000000000001';
const DOCUMENT = {
  ...{ _id: new ObjectId(OID), whole: new Int32(1), part: new Double(1), long: Long.fromString('9007199254740993') },
  ...{ money: Decimal128.fromString('12.30'), at: new Date('2026-01-31T12:00:00Z'), old: new Date(-1), no: null },
  ...{
    yes: true,
    text: 'a "b" \u0000 é',
    list: [new Int32(1), { x: 'y' }, []],
    empty: {},
    bytes: new Binary(Buffer.from('hi')),
  },
  ...{ regex: new BSONRegExp('^a', 'im'), time: new Timestamp({ t: 5, i: 6 }), min: new MinKey(), max: new MaxKey() },
  ...{ code: new Code('f()'), scoped: new Code('g()', { a: new Int32(1) }), symbol: new BSONSymbol('s') },
  ...{ nan: new Double(Number.NaN), ref: new DBRef('others', new ObjectId(OID)), $odd: 'name' },
};

function show(bytes: Uint8Array, room = 65_536) {
  return showDocument(Buffer.from(bytes), room);
}

test('every type is shown as what it is, and typed it is the same bytes again', () => {
  const bytes = serialize(DOCUMENT);
  const { text, isWhole } = show(bytes);
  expect(isWhole).toBe(true);
  const value = readMongo(text);
  if (value.is !== 'document') throw new Error('it is no document');
  expect(Buffer.from(writeBson(value)).equals(Buffer.from(bytes))).toBe(true);
  const typed = readMongo(writeMongo(value));
  expect(typed).toEqual(value);
  expect(text).toContain('"whole": 1, "part": 1.0, "long": {"$numberLong": "9007199254740993"}');
  expect(text).toContain('"money": {"$numberDecimal": "12.30"}');
});

test('wherever a document is cut, what is left can be read, and says that it is cut', () => {
  const bytes = Buffer.from(serialize(DOCUMENT));
  for (let length = 4; length < bytes.length; length += 1) {
    const { text, isWhole } = showDocument(bytes.subarray(0, length), 65_536);
    expect([length, isWhole]).toEqual([length, false]);
    readMongo(text);
  }
  for (let room = 0; room < 2_000; room += 7) {
    const { text, isWhole } = show(bytes, room);
    readMongo(text);
    if (!isWhole) expect(text.length).toBeLessThan(room + 200);
  }
});

test('a long text is cut to what there is room for, between characters', () => {
  const { text, isWhole } = show(serialize({ text: '😀'.repeat(100_000) }), 1_000);
  expect(isWhole).toBe(false);
  expect(text.length).toBeLessThanOrEqual(1_000);
  expect(text).toMatch(/😀…"\}$/);
});

test.each(['a', '"', '\n', '\u0001', '\u2028', 'é'])(
  'a long text of %j takes all of the room there is, and no more',
  (letter) => {
    const { text } = show(serialize({ text: letter.repeat(100_000) }), 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.length).toBeGreaterThan(900);
  },
);

test('whatever one byte is changed to, it is shown or refused in words', () => {
  const bytes = Buffer.from(serialize(DOCUMENT));
  for (let at = 4; at < bytes.length; at += 1)
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      try {
        expect(showDocument(changed, 65_536).text.length).toBeLessThan(10_000);
      } catch (error) {
        expect([at, (error as Error).name]).toEqual([at, 'DbFailure']);
      }
    }
});

test('nesting without end is refused', () => {
  let bytes = Buffer.from(serialize({ a: 1 }));
  for (let depth = 0; depth < 250; depth += 1) {
    const inner = bytes;
    bytes = Buffer.concat([Buffer.alloc(4), Buffer.of(3, 0x61, 0), inner, Buffer.of(0)]);
    bytes.writeInt32LE(bytes.length);
  }
  expect(() => showDocument(bytes, 65_536)).toThrow('a document of more than 200 levels');
});

test.each([
  '0',
  '-0',
  '1',
  '12.30',
  '0.000001',
  '1E-7',
  '1.5E+10',
  '9999999999999999999999999999999999',
  '1E+6111',
  '1E-6176',
  'NaN',
  'Infinity',
  '-Infinity',
  '1E+6144',
  '0E+9000',
  '100E-6178',
])('the decimal %s is what the library makes of it', (text) => {
  const known = Decimal128.fromString(text);
  expect(decimalBytes(text)?.equals(Buffer.from(known.bytes))).toBe(true);
  expect(decimalText(Buffer.from(known.bytes))).toBe(known.toString());
});

/** More than 34 digits fit into the bytes: those mean zero, which servers and we follow, and the library shows them. */
function hasTooManyDigits(bytes: Uint8Array): boolean {
  const number = Buffer.from(bytes).reverse().toString('hex');
  const digits = BigInt(`0x${number}`) & ((1n << 113n) - 1n);
  const last = bytes[15] ?? 0;
  // With both bits set the digits begin with ones that stand nowhere; infinity and what is no number have two more.
  return (last & 0x60) === 0x60 ? (last & 0x78) !== 0x78 : digits >= 10n ** 34n;
}

test('any 16 bytes are a decimal that reads as the library reads it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      if (hasTooManyDigits(bytes)) expect(decimalText(Buffer.from(bytes))).toMatch(/^-?0/);
      else expect(decimalText(Buffer.from(bytes))).toBe(new Decimal128(bytes).toString());
    }),
  );
  expect(decimalBytes('12345678901234567890123456789012345')).toBe(undefined);
  expect(decimalBytes('1E+7000')).toBe(undefined);
});

test('passwords are kept by no history, and nothing else is changed', () => {
  expect(withoutSecrets('{ createUser: "x", pwd: "hunter2", roles: [] }')).toBe(
    '{ createUser: "x", pwd: "***", roles: [] }',
  );
  expect(withoutSecrets('{ $db: "admin", updateUser: "x", pwd: passwordPrompt() }')).toBe('***');
  expect(withoutSecrets('{ explain: { updateUser: "x", pwd: "hunter2" } }')).toBe(
    '{ explain: { updateUser: "x", pwd: "***" } }',
  );
  expect(withoutSecrets('{ $db: "admin", setParameter: 1, ldapQueryPassword: "hunter2" }')).toBe(
    '{ $db: "admin", setParameter: 1, ldapQueryPassword: "***" }',
  );
  const text = '{ find: "users",   filter: { pwd: 1 } }';
  expect(withoutSecrets(text)).toBe(text);
});

test('what is written is what the library reads', () => {
  const value = readMongo(
    '{ a: [1, 2.5, "x"], b: { c: ISODate("2026-01-31T00:00:00Z") }, "10": 1, "2": NumberLong(3) }',
  );
  if (value.is !== 'document') throw new Error('it is no document');
  expect(deserialize(writeBson(value))).toEqual({ a: [1, 2.5, 'x'], b: { c: new Date('2026-01-31') }, 10: 1, 2: 3 });
});
