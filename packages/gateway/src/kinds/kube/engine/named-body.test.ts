import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readNamedBody } from './named-body.ts';

const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'];
const read = (text: string, headers = JSON_TYPE) => readNamedBody(headers, Readable.from([Buffer.from(text)]));

test('the name is read, and the body stays as it came, to the last digit', async () => {
  const text =
    ' {"spec":{"metadata":{"name":"other"},"big":12345678901234567890},"metadata":{"labels":{"name":"x"},"name":"web"}}\n';

  expect(await read(text)).toEqual({ name: 'web', body: Buffer.from(text) });
});

test('without a word of its form it is JSON, as servers have it', async () => {
  expect((await read('{"metadata":{"name":"web"}}', [])).name).toBe('web');
});

test('where the cluster is to choose it there is none', async () => {
  expect((await read('{"metadata":{"generateName":"web-"}}')).name).toBe('');
  expect((await read('{}')).name).toBe('');
});

test.each([
  ['{"metadata":{"name":"db"},"metadata":{"labels":{}}}', 'two ways'],
  ['{"metadata":{"name":"web","n\\u0061me":"db"}}', 'two ways'],
  ['{"metadata":{"name":["web"]}}', 'two ways'],
  ['[{"metadata":{"name":"web"}}]', 'no JSON object'],
  ['{"metadata":{"name":"web"}}{"metadata":{"name":"db"}}', 'no JSON object'],
  ['{"metadata":{"name":"web"}', 'no JSON object'],
  ['', 'no JSON object'],
])('what two could read differently is refused: %s', async (text, words) => {
  await expect(read(text)).rejects.toThrow(words);
});

test.each([
  [['Content-Type', 'application/yaml']],
  [['Content-Type', 'application/cbor']],
  [[...JSON_TYPE, 'Content-Encoding', 'gzip']],
])('what cannot be read is refused: %j', async (headers) => {
  await expect(read('{"metadata":{"name":"web"}}', headers)).rejects.toThrow('in a form that can be read');
});

describe('protobuf', () => {
  const field = (number: number, value: Buffer | string) => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.of((number << 3) | 2, (bytes.length & 0x7f) | 0x80, bytes.length >> 7), bytes]);
  };
  const metadata = (...fields: Buffer[]) => field(1, Buffer.concat(fields));
  const packed = (object: Buffer, ...more: Buffer[]) =>
    Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, 'v1')), field(2, object), field(3, ''), ...more]);
  const named = metadata(field(1, 'web'), field(3, 'shop'));
  const PROTOBUF = ['Content-Type', 'application/vnd.kubernetes.protobuf'];
  const readPacked = async (body: Buffer) => await readNamedBody(PROTOBUF, Readable.from([body]));

  test('says its name as JSON does', async () => {
    const body = packed(Buffer.concat([named, field(2, metadata(field(1, 'other'))), Buffer.of(0x28, 0x96, 0x01)]));

    expect(await readPacked(body)).toEqual({ name: 'web', body });
    expect((await readPacked(packed(metadata(field(2, 'web-'))))).name).toBe('');
  });

  test.each([
    ['no envelope', named],
    ['no object', Buffer.from('k8s\0')],
    ['two objects', packed(named, field(2, named))],
    ['metadata twice', packed(Buffer.concat([named, metadata(field(3, 'x'))]))],
    ['a name twice', packed(metadata(field(1, 'web'), field(1, 'db')))],
    ['no metadata', packed(field(2, 'x'))],
    ['something packed otherwise', packed(named, field(3, 'gzip'))],
    ['an end in the middle', packed(named).subarray(0, -8)],
    ['a tag too large', packed(metadata(Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x10, 3, 0x77, 0x65, 0x62])))],
    ['groups', packed(Buffer.concat([named, Buffer.of(0x0b, 0x0c)]))],
    ['a name that is a number', packed(metadata(Buffer.of(0x08, 0x01)))],
  ])('with %s it is refused', async (_, body) => {
    await expect(readPacked(body)).rejects.toThrow('no name that could be read');
  });
});
