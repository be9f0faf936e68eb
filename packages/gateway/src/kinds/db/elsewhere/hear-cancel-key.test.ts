import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { message } from '../engine/postgres/messages.ts';
import { hearCancelKey } from './hear-cancel-key.ts';

const WELCOME = [message('R', Buffer.alloc(4)), message('S', Buffer.from('server_version\x0018\0'))];
const KEY = Buffer.from('0102030405060708', 'hex');

/** What is found in it, said in pieces of that size. */
function found(said: Buffer, size: number) {
  const stream = new PassThrough();
  const keys: string[] = [];
  const forgotten: string[] = [];
  const forget = hearCancelKey(stream, (key) => {
    keys.push(key.toString('hex'));
    return () => forgotten.push(key.toString('hex'));
  });
  for (let at = 0; at < said.length; at += size) stream.emit('data', said.subarray(at, at + size));
  return { keys, forgotten, forget, listens: stream.listenerCount('data') };
}

test.each([1, 7, 1000])('the key is heard once, however it is cut, and forgotten when it is over', (size) => {
  const said = Buffer.concat([...WELCOME, message('K', KEY), message('Z', Buffer.from('I')), message('K', KEY)]);

  const { keys, forgotten, forget, listens } = found(said, size);

  expect([keys, forgotten, listens]).toEqual([['0102030405060708'], [], 0]);
  forget();
  expect(forgotten).toEqual(['0102030405060708']);
});

test('nothing is waited for after a server is ready, in what is no message, nor without an end', () => {
  expect(found(Buffer.concat([...WELCOME, message('Z', Buffer.from('I')), message('K', KEY)]), 5)).toMatchObject({
    keys: [],
    listens: 0,
  });
  expect(found(Buffer.from('S\0\0\0\x01'), 5)).toMatchObject({ keys: [], listens: 0 });
  expect(found(Buffer.from('S\xff\xff\xff\xff', 'latin1'), 5)).toMatchObject({ keys: [], listens: 0 });
  const small = message('S', Buffer.alloc(100));
  expect(found(Buffer.concat(Array.from({ length: 1000 }, () => small)), 4096)).toMatchObject({ keys: [], listens: 0 });
});

test('what is said byte by byte is read once, not again with every byte', () => {
  const lengths = vi.spyOn(Buffer.prototype, 'readUInt32BE');
  const said = Buffer.concat(Array.from({ length: 2_000 }, () => message('S', Buffer.alloc(0))));

  const { keys, listens } = found(Buffer.concat([said, message('K', KEY)]), 1);

  expect([keys, listens]).toEqual([['0102030405060708'], 0]);
  expect(lengths.mock.calls.length).toBe(2_001);
  lengths.mockRestore();
});

test('a key that is longer than any is none', () => {
  expect(found(message('K', Buffer.alloc(2_000)), 100)).toMatchObject({ keys: [], listens: 0 });
});
