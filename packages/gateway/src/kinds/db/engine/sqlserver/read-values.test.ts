import { expect, test } from 'vitest';
import { TYPE } from './packets.ts';
import { readRequest } from './read-request.ts';
import { batchPayload } from './sign-in.ts';

const u16 = (value: number) => Buffer.of(value & 0xff, value >> 8);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const b = (text: string) => Buffer.concat([Buffer.of(text.length), utf16(text)]);
const value = (name: string, ...rest: (Buffer | number[])[]) =>
  Buffer.concat([b(name), Buffer.of(0), ...rest.map((each) => Buffer.from(each))]);
const nvarchar = (name: string, text: string) =>
  value(name, [0xe7], u16(8_000), Buffer.alloc(5), u16(text.length * 2), utf16(text));
const call = (procedure: string, ...values: Buffer[]) =>
  readRequest(
    TYPE.rpc,
    Buffer.concat([batchPayload(''), u16(procedure.length), utf16(procedure), Buffer.of(0, 0), ...values]),
  );

test('values of the types of old are read, and so is what stands behind them', () => {
  const { values, unread } = call(
    'p',
    value('', [0x27, 10, 3], Buffer.from('abc')),
    value('', [0x2f, 10, 2], Buffer.from('de')),
    value('', [0x25, 10, 2, 1, 2]),
    value('', [0x2d, 10, 1, 3]),
    value('', [0x37, 17, 18, 2, 5, 0, 0x39, 0x30, 0, 0]),
    value('', [0x3f, 17, 18, 0, 5, 1, 7, 0, 0, 0]),
    value('', [0x27, 10, 0]),
    nvarchar('', 'last'),
  );

  expect({ values, unread }).toEqual({
    values: ['abc', 'de', '\\x0102', '\\x03', '-123.45', '7', 'NULL', 'last'],
    unread: '',
  });
});

test('tables as values are passed over to what stands behind them', () => {
  const int = [0, 0, 0, 0, 0, 0, 0x26, 4, 0];
  const byItself = [0, 0, 0, 0, 0, 2, 0x26, 4, 0];
  const text = Buffer.concat([Buffer.alloc(6), Buffer.of(0xe7), u16(100), Buffer.alloc(5), Buffer.of(0)]);
  const row = (id: number, word: string) =>
    Buffer.concat([Buffer.of(1, 4, id, 0, 0, 0), u16(word.length * 2), utf16(word)]);
  const order = [0x10, 1, 0, 1, 0, 1, 0x11, 1, 0, 1, 0];
  const name = [b(''), b('dbo'), b('ids')];
  const { values, unread } = call(
    'p',
    value('@t', [0xf3], ...name, u16(3), int, byItself, text, order, [0], row(1, 'x'), row(2, 'long'), [0]),
    value('@none', [0xf3], ...name, u16(0xffff), [0, 0]),
    nvarchar('', 'last'),
  );

  expect({ values, unread }).toEqual({ values: ['ids (2 rows)', 'NULL', 'last'], unread: '' });
});

test.each([
  ['a value that says so', 'p', '@NewPassword', 'hush'],
  ['a procedure that is about them', 'master..[sp_addlogin]', '@x', 'hush'],
  ['a statement inside of a value', 'p', '@sql', "create login x with password = 'hush'"],
])('secrets are not shown: %s', (_what, procedure, name, text) => {
  const request = call(procedure, nvarchar(name, text), nvarchar('@other', 'seen'));
  expect(JSON.stringify([request.query, request.values])).not.toContain('hush');
});

test('a value that is cut says how long it was', () => {
  const long = Buffer.alloc(100, 1);
  const { values } = call('p', nvarchar('', 'x'.repeat(300)), value('', [0xa5], u16(200), u16(100), long));
  expect(values).toEqual([`${'x'.repeat(256)}… (300 characters)`, `\\x${'01'.repeat(64)}… (100 bytes)`]);
});

test('a statement is found by its name too', () => {
  const { run } = call('sp_executesql', nvarchar('@params', '@a int'), nvarchar('@stmt', 'use x'));
  expect(run).toContain('use x');
});
