/** Searching logs: whatever a container writes and wherever its pieces are cut, what is found is found once, and little is kept of it. */
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogHit, MAX_HIT_TEXT, MAX_LOG_HITS } from '@gatehouse/contract/kinds/kube/browse';
import { expect, test } from 'vitest';
import type { KubeWanted } from './answers.ts';
import { LineWindow } from './line-window.ts';
import { LogFinder, MAX_HELD } from './log-finder.ts';
import { podLogs } from './pod-logs.ts';
import { searchLogs } from './search-logs.ts';

const POD = { namespace: 'shop', pod: 'api', container: 'main', previous: false };
const at = (second: number) => `2026-11-19T05:00:${String(second).padStart(2, '0')}.123456789Z `;

function found(words: string, pieces: readonly string[]): LogHit[] {
  const finder = new LogFinder(words);
  return [...pieces.flatMap((piece) => [...finder.take(piece)]), ...finder.finish()];
}

interface Terms {
  hear?: () => Promise<void>;
  maxBytes?: number;
}

async function search(words: string, body: Readable, { hear = async () => {}, maxBytes }: Terms = {}) {
  const asked: KubeWanted[] = [];
  const told: LogHit[] = [];
  const end = await searchLogs(
    {
      async ask(wanted) {
        asked.push(wanted);
        return { status: 200, headers: [], body };
      },
      async tellHits(hits) {
        told.push(...hits);
        await hear();
      },
      now: Date.now,
      maxBytes,
    },
    { type: 'search', id: 1, ...POD, words },
    new AbortController().signal,
  );
  return { end, told, asked };
}

test('what is looked for is found wherever the log is cut, in large and small letters, once for each line', () => {
  const log = `${at(1)}all is well\n${at(2)}it Broke, and broke again\n\n${at(3)}(broke)\nbroke`;
  const wanted = [
    { line: 1, text: `${at(2)}it Broke, and broke again` },
    { line: 3, text: `${at(3)}(broke)` },
    { line: 4, text: 'broke' },
  ];

  for (let cut = 0; cut <= log.length; cut += 1)
    expect(found('bROKE', [log.slice(0, cut), log.slice(cut)])).toEqual(wanted);
  expect(found('(broke', [log]).map(({ line }) => line)).toEqual([3]);
  expect(found('b.oke', [log])).toEqual([]);
});

test('times and colours are no part of a line', () => {
  expect(found('2026', [`${at(1)}in words\n`])).toEqual([]);
  expect(found('it broke', [`${at(1)}it \u001b[31mbroke\u001b[0m\n`])).toEqual([{ line: 0, text: `${at(1)}it broke` }]);
});

test('of a line without an end only a part is kept, and what is in it is found where its parts meet', () => {
  const finder = new LogFinder('needle');
  const hits: LogHit[] = [];
  const hay = 'x'.repeat(1_024);
  hits.push(...finder.take(at(7)));
  for (let size = 0; size < 20 * MAX_HELD; size += hay.length) {
    hits.push(...finder.take(hay));
    // Begun at the end of one part, and ended in the next.
    if (size === 10 * MAX_HELD || size === 12 * MAX_HELD) hits.push(...finder.take('nee'), ...finder.take('dle'));
  }
  for (let from = 0; from < 8; from += 1) {
    const edge = MAX_HELD - from;
    hits.push(...found('needle', [`${'y'.repeat(edge)}nee`, 'dle']).map(({ text }) => ({ line: from, text })));
  }

  expect(hits).toHaveLength(9);
  expect(hits[0]).toMatchObject({ line: 0, text: expect.stringMatching(/^2026-11-19T05:00:07.123456789Z x/) });
  for (const { text } of hits) {
    expect(text).toContain('needle');
    expect(text.length).toBeLessThanOrEqual(MAX_HIT_TEXT + at(1).length);
  }
  expect(finder.lines).toBe(0);
});

test('the whole log is read, hits are told as many as a page can hold, and all are counted', async () => {
  const line = `${at(1)}one more\n`;
  const count = MAX_LOG_HITS + 500;
  const { end, told, asked } = await search('more', Readable.from([Buffer.from(line.repeat(count))]));

  expect(asked.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'GET /api/v1/namespaces/shop/pods/api/log?container=main&timestamps=true',
  ]);
  expect(end).toEqual({ found: count, lines: count, bytes: count * line.length, isCut: false });
  expect(told).toHaveLength(MAX_LOG_HITS);
  expect(told.at(-1)?.line).toBe(MAX_LOG_HITS - 1);
});

test('letters of several bytes that are cut are found', async () => {
  const log = Buffer.from(`${at(1)}Größe\n`);
  const { told } = await search('größe', Readable.from([...log].map((byte) => Buffer.of(byte))));

  expect(told).toEqual([{ line: 0, text: `${at(1)}Größe` }]);
});

test('while the page is behind nothing more is read of the cluster', async () => {
  const body = new PassThrough({ highWaterMark: 1 });
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  const hear = async () => {
    waiting += 1;
    await taken;
  };
  const searching = search('x', body, { hear });
  const lines = `${'x'.repeat(127)}\n`.repeat(1_000);
  for (let count = 0; count < 4; count += 1) body.write(lines);
  while (waiting === 0) await sleep(1);

  await sleep(20);
  expect(waiting).toBe(1);
  expect(body.writableLength).toBeGreaterThan(0);
  resolve();
  body.end();
  const { end } = await searching;
  expect(end).toMatchObject({ found: 4_000, lines: 4_000 });
});

test('a log that never ends is cut, and said to be', async () => {
  const line = Buffer.from('a line\n'.repeat(10_000));
  const body = new Readable({ read: () => void body.push(line) });
  const { end } = await search('nowhere', body, { maxBytes: 1024 * 1024 });

  expect(end.isCut).toBe(true);
  expect(end.bytes).toBeLessThan(2 * 1024 * 1024);
  expect(body.destroyed).toBe(true);
});

test('some lines of a log are read by their numbers, wherever it is cut', () => {
  const log = Buffer.from('zero\none\n\nthree\nfour\nfive');
  const wanted = (from: number, count: number, cut: number) => {
    const window = new LineWindow({ from, count });
    return [log.subarray(0, cut), log.subarray(cut)].map((piece) => window.take(piece).toString()).join('');
  };

  for (let cut = 0; cut <= log.length; cut += 1) {
    expect(wanted(0, 2, cut)).toBe('zero\none\n');
    expect(wanted(1, 3, cut)).toBe('one\n\nthree\n');
    expect(wanted(4, 10, cut)).toBe('four\nfive');
    expect(wanted(9, 1, cut)).toBe('');
  }
});

test('what is around a hit is read once, and the cluster is let go of where it ends', async () => {
  const body = new PassThrough();
  body.write('zero\none\ntwo\nthree\n');
  let text = '';
  let target = '';
  await podLogs(
    async (wanted) => {
      ({ target } = wanted);
      return { status: 200, headers: [], body };
    },
    { type: 'logs', id: 1, ...POD, follow: true, tailLines: 5, window: { from: 1, count: 2 } },
    async (piece) => {
      text += piece;
    },
    new AbortController().signal,
  );

  expect(text).toBe('one\ntwo\n');
  expect(target).not.toMatch(/follow|tailLines/);
  expect(body.destroyed).toBe(true);
});
