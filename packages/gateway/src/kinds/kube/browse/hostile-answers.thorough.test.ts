/** Answers of a cluster that wants to harm who looks into it, or the gateway between them. */
import { Readable } from 'node:stream';
import { type BrowseReply, browseReply, MAX_BROWSE_ROWS } from '@gatehouse/contract/kinds/kube/browse';
import { expect, test } from 'vitest';
import type { KubeAnswer } from '../engine/stream-answer.ts';
import type { KubeAsk } from './answers.ts';
import { MAX_DEPTH, MAX_VALUES, parseBounded } from './bounded-json.ts';
import { followList, MAX_TOLD_BYTES } from './follow-list.ts';
import { listKinds, listNamespaces } from './look-up.ts';
import { readTable } from './read-table.ts';

const text = (body: string): KubeAnswer => ({ status: 200, headers: [], body: Readable.from([Buffer.from(body)]) });
const json = (value: unknown) => text(JSON.stringify(value));
const never = new AbortController().signal;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const row = (name: string, more: object = {}) => ({
  cells: [name],
  object: { metadata: { uid: name, name, ...more } },
});

test.each([
  ['nothing but brackets', `[${'{},'.repeat(MAX_VALUES)}{}]`],
  ['what is nested without end', nested(MAX_DEPTH + 1)],
  ['numbers without end', `[${'1,'.repeat(MAX_VALUES + 1)}1]`],
])('%s is not parsed', (_, body) => {
  expect(() => parseBounded(Buffer.from(body))).toThrow('more in it than can be meant');
});

test('what only looks so inside of a text is taken', () => {
  const words = { a: nested(MAX_DEPTH * 2), b: ',{['.repeat(MAX_VALUES / 2), c: '\\"\\\\', d: '"[[[' };
  expect(parseBounded(Buffer.from(JSON.stringify(words)))).toEqual(words);
  expect(parseBounded(Buffer.from(nested(MAX_DEPTH)))).toBeDefined();
  for (const bad of ['{"a', '"', '"\\', '[1,']) expect(parseBounded(Buffer.from(bad))).toBeUndefined();
});

test('a row says nothing of the language it is read by, and stays short', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y","app":"z"}') as object;
  const cells = ['x'.repeat(100_000), { a: nested(10) }, ...Array(1_000).fill('c')];
  const part = readTable({
    ...{ kind: 'Table', metadata: {}, columnDefinitions: [{ name: '__proto__', type: 7 }] },
    rows: [{ ...row('a', { labels }), cells }, { cells: 7, object: [] }, null].slice(0, 2),
  });

  expect(part?.rows).toHaveLength(1);
  expect(part?.rows[0]?.cells[0]).toHaveLength(2_048);
  expect(part?.rows[0]?.cells.length).toBeLessThanOrEqual(64);
  expect(({} as { app?: string }).app).toBeUndefined();
  const told = browseReply.parse(JSON.parse(JSON.stringify({ type: 'rows', id: 1, seq: 0, gone: [], ...part })));
  expect(told.type === 'rows' && Object.getPrototypeOf(told.rows[0]?.labels)).toBe(Object.prototype);
});

/** Until it is listed. */
async function listed(ask: KubeAsk) {
  const over = new AbortController();
  let rows = 0;
  const done = Promise.withResolvers<Extract<BrowseReply, { type: 'listed' }>>();
  const pods = { apiGroup: '', apiVersion: 'v1', resource: 'pods', namespace: '' };
  const tell = (reply: BrowseReply) => void (reply.type === 'listed' && done.resolve(reply));
  const work = followList(
    { ask, tell, now: Date.now },
    { type: 'list', id: 1, ...pods },
    async (some) => {
      rows += some.length;
    },
    over.signal,
  );
  work.catch(done.reject);
  const { isCut } = await done.promise;
  over.abort();
  await work.catch(() => {});
  return { rows, isCut };
}

test('a list that never ends, of nothing, is cut', async () => {
  let pages = 0;
  const ask: KubeAsk = async ({ target }) => {
    if (target.includes('watch=')) return { status: 403, headers: [], body: Readable.from([]) };
    pages += 1;
    return json({ kind: 'Table', metadata: { continue: 'more' }, rows: [] });
  };

  expect(await listed(ask)).toEqual({ rows: 0, isCut: true });
  expect(pages).toBe(2_000);
});

test('rows that are long and many are cut before they fill a browser', async () => {
  const cells = Array.from({ length: 64 }, () => 'x'.repeat(2_048));
  let page = 0;
  const ask: KubeAsk = async ({ target }) => {
    if (target.includes('watch=')) return { status: 403, headers: [], body: Readable.from([]) };
    page += 1;
    const rows = Array.from({ length: 100 }, (_, at) => ({ ...row(`${page}-${at}`), cells }));
    return json({ kind: 'Table', metadata: { continue: 'more' }, rows });
  };
  const { rows, isCut } = await listed(ask);

  expect(isCut).toBe(true);
  expect(rows).toBeLessThan(MAX_BROWSE_ROWS / 10);
  expect(rows * 64 * 2_048).toBeLessThan(MAX_TOLD_BYTES * 1.2);
});

test('namespaces and kinds without end are cut, and nothing of them is kept that is not told', async () => {
  const items = Array.from({ length: 200_000 }, () => ({ metadata: { name: 'a' } }));
  let asked = 0;
  const names: KubeAsk = async () => {
    asked += 1;
    return json({ metadata: { continue: 'more' }, items: asked > 1 ? [] : items.slice(0, 5_000) });
  };
  expect((await listNamespaces(names, async () => [], never)).names).toEqual(['a']);
  expect(asked).toBe(100);
  const many = await listNamespaces(
    async () => json({ metadata: {}, items }),
    async () => [],
    never,
  );
  expect(many.names).toEqual(['a']);
  await expect(
    listNamespaces(
      async () => json({ items: 7 }),
      async () => [],
      never,
    ),
  ).rejects.toMatchObject({
    reason: 'NotAList',
  });

  let groups = 0;
  const resources = Array.from({ length: 20_000 }, (_, at) => ({
    ...{ name: `r${at}`, kind: 'R', namespaced: true, verbs: ['list'] },
  }));
  const kinds: KubeAsk = async ({ target }) => {
    if (target === '/apis')
      return json({
        groups: Array.from({ length: 400 }, (_, at) => ({ name: `g${at}`, versions: [{ version: 'v1' }] })),
      });
    groups += 1;
    return json({ resources });
  };
  const found = await listKinds(kinds, never);
  expect([found.kinds.length, found.isCut]).toEqual([5_000, true]);
  expect(groups).toBeLessThan(20);
  expect(await listKinds(async () => json([]), never)).toEqual({ kinds: [], isCut: true });
});
