/** What a server of SQL Server answers with, in the bytes of its protocol, for stubs of it. */
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
/** Behind its length in one byte, and in two. */
export const shortText = (text: string) => Buffer.concat([Buffer.of(text.length), utf16(text)]);
export const longText = (text: string) => Buffer.concat([u16(text.length), utf16(text)]);

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
export function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
export const token = (type: number, body: Buffer) => Buffer.concat([Buffer.of(type), u16(body.length), body]);

export const DONE = { final: 0, more: 1, error: 2, count: 16, attention: 32 };

export function done(status: number, rows = 0, type = 0xfd): Buffer {
  const bytes = Buffer.alloc(13);
  bytes[0] = type;
  bytes.writeUInt16LE(status, 1);
  bytes.writeBigUInt64LE(BigInt(rows), 5);
  return bytes;
}

const said = (type: number, number: number, text: string, line: number) =>
  token(
    type,
    Buffer.concat([i32(number), Buffer.of(1, 14), longText(text), shortText('stub'), shortText(''), i32(line)]),
  );
export const info = (number: number, text: string) => said(0xab, number, text, 1);
export const failed = (number: number, text: string, line = 1) =>
  Buffer.concat([said(0xaa, number, text, line), done(DONE.error)]);
export const inDatabase = (name: string, before: string) =>
  token(0xe3, Buffer.concat([Buffer.of(1), shortText(name), shortText(before)]));
const TRANSACTION = Buffer.of(1, 2, 3, 4, 5, 6, 7, 8);
/** The one that is open, as requests have to name it. */
export const isIn = (payload: Buffer) => payload.subarray(10, 18).equals(TRANSACTION);
export const begun = () => token(0xe3, Buffer.concat([Buffer.of(8, 8), TRANSACTION, Buffer.of(0)]));
export const ended = (type: 9 | 10) => token(0xe3, Buffer.concat([Buffer.of(type, 0, 8), TRANSACTION]));

export interface StubColumn {
  name: string;
  /** What is said of its type, and a value with what stands before it; null: it has a way of its own to say NULL. */
  type: Buffer;
}

export function result(columns: readonly StubColumn[], rows: readonly (readonly Buffer[])[]): Buffer {
  const heads = columns.map(({ name, type }) => Buffer.concat([i32(0), u16(9), type, shortText(name)]));
  const bodies = rows.map((cells) => Buffer.concat([Buffer.of(0xd1), ...cells]));
  return Buffer.concat([Buffer.of(0x81), u16(columns.length), ...heads, ...bodies]);
}

/** Windows in English, as most are. */
const COLLATION = Buffer.of(0x09, 0x04, 0xd0, 0x00, 0x34);
const NVARCHAR = Buffer.concat([Buffer.of(0xe7), u16(8000), COLLATION]);
const text = (value: string | null) =>
  value === null ? u16(0xffff) : Buffer.concat([u16(value.length * 2), utf16(value)]);

/** Columns of texts. */
export function texts(names: readonly string[], rows: readonly (readonly (string | null)[])[]): Buffer {
  return result(
    names.map((name) => ({ name, type: NVARCHAR })),
    rows.map((cells) => cells.map(text)),
  );
}

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const i64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};
const f64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const f32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const measured = (bytes: Buffer) => Buffer.concat([Buffer.of(bytes.length), bytes]);
const chunked = (...parts: Buffer[]) =>
  Buffer.concat([hex('fe ff ff ff ff ff ff ff'), ...parts.flatMap((part) => [i32(part.length), part]), i32(0)]);
const CYRILLIC = Buffer.of(0x19, 0x04, 0xd0, 0x00, 0x00);
const UTF8 = Buffer.of(0x09, 0x04, 0xd0, 0x04, 0x00);

/** One of each type, what reads it, and how its own programs write it. */
export const KINDS: readonly (StubColumn & { value: Buffer; shown: string | null; typeName: string })[] = [
  { name: 'a', type: hex('7f'), value: i64(-(2n ** 63n)), shown: '-9223372036854775808', typeName: 'bigint' },
  { name: 'b', type: hex('26 04'), value: measured(i32(-5)), shown: '-5', typeName: 'int' },
  { name: 'c', type: hex('26 01'), value: measured(hex('ff')), shown: '255', typeName: 'tinyint' },
  { name: 'd', type: hex('68 01'), value: measured(hex('01')), shown: '1', typeName: 'bit' },
  { name: 'e', type: hex('6d 08'), value: measured(f64(0.1)), shown: '0.1', typeName: 'float' },
  { name: 'f', type: hex('6d 04'), value: measured(f32(1.1)), shown: '1.1', typeName: 'real' },
  {
    name: 'g',
    type: hex('6c 09 0a 04'),
    value: measured(hex('00 39 30 00 00 00 00 00 00')),
    shown: '-1.2345',
    typeName: 'numeric(10,4)',
  },
  {
    name: 'h',
    type: hex('6e 08'),
    value: measured(hex('ff ff ff ff c7 cf ff ff')),
    shown: '-1.2345',
    typeName: 'money',
  },
  {
    name: 'i',
    type: hex('6f 08'),
    value: measured(Buffer.concat([i32(46054), i32(4_411_801)])),
    shown: '2026-02-03 04:05:06.003',
    typeName: 'datetime',
  },
  {
    name: 'j',
    type: hex('6f 04'),
    value: measured(Buffer.concat([u16(46054), u16(245)])),
    shown: '2026-02-03 04:05:00',
    typeName: 'smalldatetime',
  },
  { name: 'k', type: hex('28'), value: measured(hex('41 49 0b')), shown: '2026-02-03', typeName: 'date' },
  {
    name: 'l',
    type: hex('29 07'),
    value: measured(hex('47 85 75 3d 22')),
    shown: '04:05:06.0000071',
    typeName: 'time(7)',
  },
  {
    name: 'm',
    type: hex('2a 00'),
    value: measured(hex('72 39 00 41 49 0b')),
    shown: '2026-02-03 04:05:06',
    typeName: 'datetime2(0)',
  },
  {
    name: 'n',
    type: hex('2b 00'),
    value: measured(hex('72 39 00 41 49 0b d4 fe')),
    shown: '2026-02-02 23:05:06 -05:00',
    typeName: 'datetimeoffset(0)',
  },
  {
    name: 'o',
    type: hex('24 10'),
    value: measured(hex('6f96198bff8bd011b42d00c04fc964ff')),
    shown: '8B19966F-8BFF-11D0-B42D-00C04FC964FF',
    typeName: 'uniqueidentifier',
  },
  {
    name: 'p',
    type: Buffer.concat([hex('a7 09 00'), CYRILLIC]),
    value: hex('02 00 c4 e0'),
    shown: 'Да',
    typeName: 'varchar(9)',
  },
  {
    name: 'q',
    type: Buffer.concat([hex('a7 09 00'), UTF8]),
    value: hex('02 00 c3 a9'),
    shown: 'é',
    typeName: 'varchar(9)',
  },
  {
    name: 'r',
    type: Buffer.concat([hex('e7 ff ff'), COLLATION]),
    value: chunked(utf16('two '), utf16('parts')),
    shown: 'two parts',
    typeName: 'nvarchar(max)',
  },
  { name: 's', type: hex('a5 ff ff'), value: chunked(hex('00ff')), shown: '0x00ff', typeName: 'varbinary(max)' },
  { name: 't', type: hex('a5 04 00'), value: hex('ff ff'), shown: null, typeName: 'varbinary(4)' },
  {
    name: 'u',
    type: Buffer.concat([hex('63 ff ff ff 7f'), COLLATION, hex('01'), longText('old')]),
    value: Buffer.concat([hex('10'), Buffer.alloc(24), i32(4), utf16('hé')]),
    shown: 'hé',
    typeName: 'ntext',
  },
  {
    name: 'v',
    type: hex('62 00 00 00 00'),
    value: Buffer.concat([i32(6), hex('38 00'), i32(7)]),
    shown: '7',
    typeName: 'sql_variant',
  },
  { name: 'w', type: hex('f1 00'), value: chunked(utf16('<a/>')), shown: '<a/>', typeName: 'xml' },
  {
    name: 'x',
    type: Buffer.concat([hex('e7 ff ff'), COLLATION]),
    value: hex('ff ff ff ff ff ff ff ff'),
    shown: null,
    typeName: 'nvarchar(max)',
  },
  { name: 'y', type: hex('38'), value: i32(2_147_483_647), shown: '2147483647', typeName: 'int' },
];
