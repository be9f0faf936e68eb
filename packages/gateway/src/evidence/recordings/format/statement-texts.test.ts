/** Recordings of statements as text, also where they were written by somebody who means harm. */
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { madeSession, STARTED, sourceOf } from '../../../../testing/recordings/make-recording.ts';
import { encodeItems } from './encode-items.ts';
import { encodeHead, HASH_BYTES, ITEMS } from './frames.ts';
import { toJsonLines, toSqlText } from './statement-texts.ts';

type Made = readonly [type: number, value: unknown];

const session = madeSession({ action: { kind: 'db', resource: { id: 'd', name: 'orders' }, dbUser: 'reader' } });
const FACTS: Made = [
  ITEMS.facts,
  {
    ...{ format: 1, sid: session.id, cluster: 'c', kind: 'db', resource: { id: 'd', name: 'orders' }, login: 'reader' },
    ...{ user: 'ann', started: STARTED },
  },
];

function frame(...items: Made[]): Buffer {
  const encoded = items.map(([type, value]) => ({ type, ms: 0, bytes: Buffer.from(JSON.stringify(value)) }));
  const { raw, done } = encodeItems(encoded, 0);
  const packed = zstdCompressSync(raw);
  const kinds = items.reduce((bits, [type]) => bits | (1 << type), 0);
  const sizes = { rawBytes: raw.length, packedBytes: packed.length };
  done();
  const before = Buffer.alloc(HASH_BYTES);
  return Buffer.concat([
    encodeHead({ type: 'frame', startMs: 0, endMs: 0, ...sizes, from: 0, to: 0, kinds, before }),
    packed,
  ]);
}

async function collect(texts: AsyncGenerator<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const text of texts) all.push(text);
  return all;
}

const sql = async (...frames: Buffer[]) => (await collect(toSqlText(sourceOf(Buffer.concat(frames))))).join('');
const lines = async (...frames: Buffer[]) =>
  (await collect(toJsonLines(sourceOf(Buffer.concat(frames)))))
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { n: number; text: string; ok: boolean | null });

const asked = (n: number, text: string, more = {}): Made => [ITEMS.asked, { n, what: 'query', text, ...more }];
const answered = (n: number, more = {}): Made => [ITEMS.answered, { n, ms: 1, ...more }];
const ran = (n: number, text: string): Made[] => [asked(n, text), answered(n)];

test('an item that cannot be read is missing, and what is around it is not', async () => {
  const told = await lines(
    frame(FACTS, ...ran(1, 'one'), asked(2, 'two'), answered(2, { rows: 2 ** 64 }), ...ran(3, 'three')),
    frame(...ran(4, 'four')),
  );

  expect(told.map(({ n, ok }) => [n, ok])).toEqual([
    [1, true],
    [3, true],
    [4, true],
    [2, null],
  ]);
});

test('what waits for answers is bounded by its size: the oldest is told as one without', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const frames = Array.from({ length: 20 }, (_, index) => frame(asked(index + 1, text)));
  const pieces = await collect(toJsonLines(sourceOf(Buffer.concat([frame(FACTS), ...frames]))));

  expect(pieces.slice(0, -1).length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(17 * 1024 * 1024);
  expect(pieces.join('').match(/"ok":null/g)).toHaveLength(20);
});

test('a number that comes twice hides nothing', async () => {
  const told = await lines(frame(FACTS, asked(1, 'hidden'), ...ran(1, 'shown')));
  expect(told.map(({ text, ok }) => [text, ok])).toEqual([
    ['hidden', null],
    ['shown', true],
  ]);
});

test('a comment does not swallow the end of a statement', async () => {
  const text = await sql(
    frame(FACTS, ...ran(1, 'delete from a -- where;'), ...ran(2, 'select 1;'), ...ran(3, 'select 2')),
  );
  expect(text).toContain('\ndelete from a -- where;\n;\n');
  expect(text).toContain('\nselect 1;\n\n');
  expect(text).toContain('\nselect 2\n;\n');
});

test('what was not answered, is not whole, or reads otherwise elsewhere stands as a comment', async () => {
  const text = await sql(
    frame(
      FACTS,
      ...[...ran(1, "select 'it\\'; drop table a; -- '"), ...ran(2, 'select 1 # \\! true')],
      ...[asked(3, 'select 3', { length: 9_000 }), answered(3), asked(4, 'delete\nfrom b')],
    ),
  );
  const live = text.split('\n').filter((line) => line !== '' && !line.startsWith('-- '));
  expect(live).toEqual([]);
  expect(text).toContain("-- select 'it\\'; drop table a; -- '");
  expect(text).toContain('-- delete\n-- from b');
});
