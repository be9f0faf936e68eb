import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MongoValue } from './mongo-value.ts';
import { MongoTextError, readFields, readMongo } from './read-mongo.ts';
import { writeMongo, writeMongoLines } from './write-mongo.ts';

const shown = (text: string) => writeMongo(readMongo(text));

function wrongAt(text: string): { message: string; position: number } {
  try {
    readMongo(text);
  } catch (error) {
    if (error instanceof MongoTextError) return { message: error.message, position: error.position };
    throw error;
  }
  throw new Error(`'${text}' was read`);
}

test.each([
  ['{}', '{}'],
  ['{"a": 1, "b": [1, 2.5, "x"]}', '{ a: 1, b: [1, 2.5, "x"] }'],
  [`{a: 'it\\'s', $gt: -3, "x.y": null,}`, `{ a: "it's", $gt: -3, "x.y": null }`],
  ['{ /* why */ a: 1 // because\n }', '{ a: 1 }'],
  ['{_id: ObjectId("65A000000000000000000001")}', '{ _id: ObjectId("65a000000000000000000001") }'],
  ['{"$oid": "65a000000000000000000001"}', 'ObjectId("65a000000000000000000001")'],
  ['ISODate("2026-01-31")', 'ISODate("2026-01-31T00:00:00.000Z")'],
  ['new Date(86400000)', 'ISODate("1970-01-02T00:00:00.000Z")'],
  ['{"$date": {"$numberLong": "-1"}}', '{ $date: NumberLong("-1") }'],
  ['2147483648', 'NumberLong("2147483648")'],
  ['1e3', '1000.0'],
  ['1.0', '1.0'],
  ['-Infinity', '-Infinity'],
  ['{"$numberDouble": "NaN"}', 'NaN'],
  ['NumberDecimal("0.10")', 'NumberDecimal("0.10")'],
  ['/^a\\/[/]b/i', 'RegExp("^a\\\\/[/]b", "i")'],
  ['UUID("123e4567-e89b-12d3-a456-426614174000")', 'UUID("123e4567-e89b-12d3-a456-426614174000")'],
  ['{"$binary": {"base64": "aGk=", "subType": "0"}}', 'BinData(0, "aGk=")'],
  ['Timestamp({t: 5, i: 6})', 'Timestamp(5, 6)'],
  ['[MinKey, MaxKey(), undefined, true]', '[MinKey(), MaxKey(), undefined, true]'],
  // An operator of a question, and no type.
  ['{$regex: "^a", $options: "i"}', '{ $regex: "^a", $options: "i" }'],
  ['{$code: "f()", $scope: {a: 1}}', '{ $code: "f()", $scope: { a: 1 } }'],
  // Names of every object are names like any other.
  ['{constructor: 1, __proto__: 2, 10: 3, 2: 4}', '{ constructor: 1, __proto__: 2, "10": 3, "2": 4 }'],
])('%s is read', (text, written) => {
  expect(shown(text)).toBe(written);
});

test.each([
  ['', 0, 'it ends too early'],
  ['{a: 1', 5, "',' or '}' is missing"],
  ['{a 1}', 3, "':' is missing behind the name 'a'"],
  ['{a: b}', 4, "'b' is no value: a text stands between quotes"],
  ['{} {}', 3, "'{' is too much: it was at its end"],
  ['{a: "x\n"}', 4, 'a quote does not end on its line'],
  ['{a: ObjectId()}', 4, 'ObjectId needs 24 hexadecimal digits'],
  ['{a: ObjectId("xyz")}', 4, 'an ObjectId has 24 hexadecimal digits'],
  ['{a: new Date()}', 4, 'Date needs a time: the clock is not read here'],
  ['{a: process.exit(1)}', 4, "'process' is no value: a text stands between quotes"],
  ['{a: {$oid: 5}}', 4, '$oid needs a text'],
  ['{a: NumberInt(3000000000)}', 4, "'3000000000' is no whole number of 32 bits"],
  ['{"a\\u0000": 1}', 10, 'the name of a field cannot hold a zero'],
])('%j is refused where it is wrong', (text, position, message) => {
  expect(wrongAt(text)).toEqual({ position, message });
});

test('what is called is never run', () => {
  expect(wrongAt('{a: eval("1")}').message).toMatch(/'eval\(…\)' is not known here/);
  expect(wrongAt('{a: constructor("1")}').message).toMatch(/'constructor\(…\)' is not known here/);
  expect(wrongAt('{a: toString()}').message).toMatch(/is not known here/);
});

test('what is deeper than any document is refused, and costs no stack', () => {
  expect(wrongAt('['.repeat(100_000)).message).toBe('it has more than 200 levels');
  expect(wrongAt('{a:'.repeat(100_000)).message).toBe('it has more than 200 levels');
});

test('a long text of any kind is read in time', () => {
  const begun = performance.now();
  for (const text of ['/'.repeat(500_000), `/${'['.repeat(500_000)}`, `"${'\\'.repeat(500_001)}`, '/*'.repeat(500_000)])
    wrongAt(text);
  // A tenth of a second; what grows with the square takes minutes.
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('each field of a command says where its value stands', () => {
  const text = '{ find: "orders", filter: {a: 1 /* one */}, limit: 5 }';
  expect(readFields(text).map(({ name, from, to }) => [name, text.slice(from, to)])).toEqual([
    ['find', '"orders"'],
    ['filter', '{a: 1 /* one */}'],
    ['limit', '5'],
  ]);
});

test('short documents stay on a line, others have one for each field', () => {
  const value = readMongo('{_id: 1, place: {city: "Bern", at: [1, 2]}, none: [], empty: {}}');
  expect(writeMongoLines(value)).toBe(
    [
      '{',
      '  _id: 1,',
      '  place: {',
      '    city: "Bern",',
      '    at: [1, 2]',
      '  },',
      '  none: [],',
      '  empty: {}',
      '}',
    ].join('\n'),
  );
});

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const name = fc.string({ maxLength: 6 }).filter((each) => !each.includes('\0') && !each.startsWith('$'));
const leaf: fc.Arbitrary<MongoValue> = fc.oneof(
  fc.string().map((text) => ({ is: 'text' as const, text })),
  fc.integer().map((value) => ({ is: 'int' as const, text: String(value) })),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => ({ is: 'long' as const, text: String(value) })),
  hex(24).map((text) => ({ is: 'oid' as const, text })),
  fc.bigInt(-(2n ** 62n), 2n ** 62n).map((value) => ({ is: 'date' as const, text: String(value) })),
  fc.boolean().map((value) => ({ is: 'bool' as const, value })),
  fc.constantFrom('null' as const, 'undefined' as const, 'minKey' as const, 'maxKey' as const).map((is) => ({ is })),
  fc.tuple(fc.base64String(), hex(2)).map(([base64, subType]) => ({ is: 'binary' as const, base64, subType })),
  fc.nat().map((t) => ({ is: 'timestamp' as const, t, i: 1 })),
);
const { value: anyValue } = fc.letrec<{ value: MongoValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }).map((values) => ({ is: 'array' as const, values })),
    fc
      .array(fc.record({ name, value: tie('value') }), { maxLength: 4 })
      .map((fields) => ({ is: 'document' as const, fields })),
  ),
}));

test('what is written is read as the same value again', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(readMongo(writeMongo(value))).toEqual(value);
      expect(readMongo(writeMongoLines(value))).toEqual(value);
    }),
    { numRuns: 200 },
  );
});

test('whatever is typed is read or refused at a place in it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[]():,"\'\\/*$an1.- \n'), { maxLength: 30 }), (characters) => {
      const text = characters.join('');
      try {
        readMongo(text);
      } catch (error) {
        expect(error).toBeInstanceOf(MongoTextError);
        expect((error as MongoTextError).position).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 500 },
  );
});
