import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { boundWrites } from './bounded-peer.ts';

/** Tells in which groups its bytes were written. */
function listener(takesMany: boolean) {
  const groups: string[] = [];
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      groups.push(String(bytes));
      done();
    },
    ...(takesMany
      ? {
          writev(pieces: { chunk: Buffer }[], done: () => void) {
            groups.push(pieces.map(({ chunk }) => String(chunk)).join('+'));
            done();
          },
        }
      : {}),
  });
  boundWrites(stream);
  return { groups, stream };
}

test.each([
  ['a socket takes them in one call', true, 'head+body+tag'],
  ['any other stream gets them as one', false, 'headbodytag'],
])('the pieces of a packet go together: %s', async (_, takesMany, together) => {
  const { groups, stream } = listener(takesMany);
  for (const piece of ['head', 'body', 'tag']) stream.write(Buffer.from(piece));
  await turn();
  stream.write(Buffer.from('next'));
  await turn();

  expect(groups).toEqual([together, 'next']);
});

test.each([true, false])('what was written before the end is written, in its order (%s)', async (takesMany) => {
  const { groups, stream } = listener(takesMany);
  stream.write(Buffer.from('last'));
  stream.write(Buffer.from('words'));
  stream.end();
  await turn();

  expect(groups.join('').replaceAll('+', '')).toBe('lastwords');
  expect(stream.writableFinished).toBe(true);
});

test('of long pieces no more than a packet waits for the rest', async () => {
  const { groups, stream } = listener(false);
  for (let count = 0; count < 5; count += 1) stream.write(Buffer.alloc(32 * 1024, 'x'));
  await turn();

  expect(groups.map(({ length }) => length / 1024)).toEqual([64, 64, 32]);
});

test('a side that reads nothing of many megabytes is left', async () => {
  const stream = new Duplex({ read() {}, write() {} });
  stream.on('error', () => {});
  boundWrites(stream);
  for (let count = 0; count < 20; count += 1) {
    stream.write(Buffer.alloc(1024 * 1024));
    await turn();
  }

  expect(stream.destroyed).toBe(true);
});
