/** What a page asks of a cluster, answered by one that says what the test tells it to: orders of events that a real one has only at times. */
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BrowseReply,
  type BrowseRequest,
  browseReply,
  browseRequest,
  type KubeRef,
} from '@gatehouse/contract/kinds/kube/browse';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { afterEach, expect, test } from 'vitest';
import type { KubeAnswer } from '../engine/stream-answer.ts';
import type { KubeWanted } from './answers.ts';
import { BrowseTasks } from './browse-tasks.ts';
import { KubeFailure } from './kube-failure.ts';

type Answers = (wanted: KubeWanted, url: URL) => unknown;
type Unnumbered<Request> = Request extends { id: number } ? Omit<Request, 'id'> : never;

const ended: AbortController[] = [];
afterEach(() => {
  for (const each of ended.splice(0)) each.abort(new Error('the test is over'));
});

function open(answers: Answers, { isLazy = false } = {}) {
  const heard: BrowseReply[] = [];
  const asked: KubeWanted[] = [];
  const revealed: KubeRef[] = [];
  const looking = new Set<() => void>();
  const over = new AbortController();
  ended.push(over);
  let last = 0;
  const tasks = new BrowseTasks(
    {
      async ask(wanted, signal) {
        asked.push(wanted);
        const said = answers(wanted, new URL(wanted.target, 'https://cluster'));
        const answer = said instanceof Readable ? streamed(said) : (said as KubeAnswer);
        whenAborted(signal, () => answer.body.destroy());
        return answer;
      },
      send(text) {
        const reply = browseReply.parse(JSON.parse(text));
        heard.push(reply);
        if (!isLazy && 'seq' in reply) tasks.hear({ type: 'ack', id: reply.id, seq: reply.seq });
        for (const look of looking) look();
      },
      now: Date.now,
      knownNamespaces: async () => ['shop', 'bank', 'shop'],
      onReveal: async (secret) => void revealed.push(secret),
      failureOf: (error) => {
        if (!(error instanceof KubeFailure)) throw error;
        return { status: error.status, reason: error.reason, message: error.message };
      },
    },
    over.signal,
  );
  const ask = (request: Unnumbered<Exclude<BrowseRequest, { type: 'ack' | 'cancel' }>>): number => {
    last += 1;
    tasks.hear({ ...request, id: last } as Exclude<BrowseRequest, { type: 'factor' }>);
    return last;
  };
  const until = <Type extends BrowseReply['type']>(type: Type, count = 1) =>
    new Promise<Extract<BrowseReply, { type: Type }>[]>((resolve) => {
      const look = () => {
        const found = heard.filter((reply) => reply.type === type);
        if (found.length < count) return;
        looking.delete(look);
        resolve(found as Extract<BrowseReply, { type: Type }>[]);
      };
      looking.add(look);
      look();
    });
  return { tasks, heard, asked, revealed, ask, until, over };
}

const json = (value: unknown, status = 200, headers: string[] = []): KubeAnswer => ({
  status,
  headers,
  body: Readable.from([Buffer.from(JSON.stringify(value))]),
});
const streamed = (body: Readable): KubeAnswer => ({ status: 200, headers: [], body });
const status = (code: number, reason: string, message: string) => json({ kind: 'Status', code, reason, message }, code);

const PODS = { apiGroup: '', apiVersion: 'v1', resource: 'pods', namespace: 'shop' };
const COLUMNS = [{ name: 'Name', type: 'string', format: 'name', priority: 0, description: 'its name' }];
const row = (name: string, cell = name, version = '1') => ({
  cells: [cell],
  object: {
    kind: 'PartialObjectMetadata',
    metadata: {
      ...{ uid: `uid-${name}`, name, namespace: 'shop', resourceVersion: version },
      annotations: { secret: 'not for pages' },
      ownerReferences: [{ kind: 'ReplicaSet', name: 'api' }],
    },
  },
});
const table = (rows: unknown[], more: object = {}) => ({
  kind: 'Table',
  metadata: { resourceVersion: '10', ...more },
  columnDefinitions: COLUMNS,
  rows,
});
const event = (type: string, object: unknown) => Buffer.from(`${JSON.stringify({ type, object })}\n`);

test('a list comes page by page, and then what changes comes in groups, each row as it is last', async () => {
  const watch = new PassThrough();
  const page = open((_, { searchParams }) => {
    if (searchParams.has('watch')) return watch;
    if (searchParams.get('continue') === 'next') return json(table([row('b')]));
    return json(table([row('a')], { continue: 'next' }));
  });

  page.ask({ type: 'list', ...PODS });
  await page.until('listed');
  watch.write(event('MODIFIED', { kind: 'Table', rows: [row('a', 'once', '11')] }));
  watch.write(event('MODIFIED', { kind: 'Table', rows: [row('a', 'twice', '12')] }));
  watch.write(event('DELETED', { kind: 'Table', rows: [row('b', 'b', '13')] }));
  const rows = await page.until('rows', 3);

  expect(page.heard.map(({ type }) => type)).toEqual(['columns', 'rows', 'rows', 'listed', 'rows']);
  expect(rows[0]?.rows).toEqual([
    {
      ...{ uid: 'uid-a', name: 'a', namespace: 'shop', created: '', labels: {}, owner: 'ReplicaSet/api' },
      ...{ isEnding: false, cells: ['a'] },
    },
  ]);
  expect(rows[2]).toMatchObject({ rows: [{ name: 'a', cells: ['twice'] }], gone: ['uid-b'] });
  expect(page.asked.map(({ target }) => target)).toEqual([
    '/api/v1/namespaces/shop/pods?limit=500',
    '/api/v1/namespaces/shop/pods?limit=500&continue=next',
    '/api/v1/namespaces/shop/pods?watch=1&allowWatchBookmarks=true&resourceVersion=10',
  ]);
});

test('a watch that ends goes on from what it said last, bookmarks too', async () => {
  const watches = [new PassThrough(), new PassThrough()];
  let begun = 0;
  const page = open((_, { searchParams }) => {
    if (!searchParams.has('watch')) return json(table([]));
    begun += 1;
    return watches[begun - 1] ?? new PassThrough();
  });
  page.ask({ type: 'list', ...PODS });
  await page.until('listed');
  watches[0]?.write(event('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: '77' } }));
  watches[0]?.end();
  watches[1]?.write(event('ADDED', { kind: 'Table', rows: [row('new', 'new', '78')] }));
  await page.until('rows');

  expect(page.asked.at(-1)?.target).toContain('resourceVersion=77');
  expect(page.heard.filter(({ type }) => type === 'listed')).toHaveLength(1);
});

test('what is too old to go on from is listed anew, and the page is told before', async () => {
  let lists = 0;
  const page = open((_, { searchParams }) => {
    if (!searchParams.has('watch')) {
      lists += 1;
      return json(table([row(`pod-${lists}`)]));
    }
    if (lists > 1) return new PassThrough();
    return Readable.from([event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' })]);
  });
  page.ask({ type: 'list', ...PODS });
  await page.until('listed', 2);

  expect(page.heard.map(({ type }) => type)).toEqual([
    'columns',
    'rows',
    'listed',
    'anew',
    'columns',
    'rows',
    'listed',
  ]);
});

test('who may list and not watch sees what there is, and hears that it does not change', async () => {
  const page = open((_, { searchParams }) =>
    searchParams.has('watch') ? status(403, 'Forbidden', 'no watching') : json(table([row('a')])),
  );
  page.ask({ type: 'list', ...PODS });

  expect((await page.until('listed'))[0]).toMatchObject({ isLive: false });
});

test('a refused list is told with the words of whoever refused it', async () => {
  const page = open(() => status(403, 'Forbidden', 'pods is forbidden'));
  page.ask({ type: 'list', ...PODS });

  expect((await page.until('failed'))[0]).toMatchObject({
    status: 403,
    reason: 'Forbidden',
    message: 'pods is forbidden',
  });
});

test('a page that takes no rows stops the list, which goes on where it takes them', async () => {
  const wide = 'x'.repeat(2_000);
  const page = open(
    (_, { searchParams }) => {
      if (searchParams.has('watch')) return new PassThrough();
      const from = Number(searchParams.get('continue') ?? 0);
      const rows = Array.from({ length: 500 }, (_, at) => row(`pod-${from + at}`, wide));
      return json(table(rows, { continue: from < 5_000 ? String(from + 500) : '' }));
    },
    { isLazy: true },
  );
  page.ask({ type: 'list', ...PODS });
  const first = (await page.until('rows'))[0];
  await sleep(50);
  const ahead = page.asked.length;
  expect(ahead).toBeLessThan(4);

  page.tasks.hear({ type: 'ack', id: 1, seq: first?.seq ?? 0 });
  await page.until('rows', 2);
  expect(page.asked.length).toBeLessThan(ahead + 3);
});

test('the values of a secret are neither in the object nor in what kubectl keeps of it, until they are asked for and that is told', async () => {
  const secret = {
    ...{ kind: 'Secret', apiVersion: 'v1', type: 'Opaque', data: { password: 'aHVudGVyMg==' } },
    metadata: {
      ...{ name: 'db', resourceVersion: '1' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aHVudGVyMg=="}}' },
    },
  };
  const watch = new PassThrough();
  const page = open((_, { searchParams }) => (searchParams.has('watch') ? watch : json(secret)));
  const ref = { ...PODS, resource: 'secrets', name: 'db' };
  const id = page.ask({ type: 'object', ...ref, reveal: false });
  await page.until('object', 2);
  watch.write(event('MODIFIED', { ...secret, metadata: { ...secret.metadata, resourceVersion: '2' } }));
  const shown = await page.until('object', 3);
  page.tasks.hear({ type: 'cancel', id });
  expect(page.revealed).toEqual([]);
  for (const { json: text, isHidden } of shown) {
    expect([isHidden, text.includes('aHVudGVyMg')]).toEqual([true, false]);
    expect(JSON.parse(text).data).toEqual({ password: '' });
  }

  page.ask({ type: 'object', ...ref, reveal: true });
  const revealed = (await page.until('object', 4)).at(-1);
  expect(page.revealed).toMatchObject([{ namespace: 'shop', name: 'db' }]);
  expect(JSON.parse(revealed?.json ?? '').data).toEqual({ password: 'aHVudGVyMg==' });
});

test('an object that goes away is told, and one that was never there', async () => {
  const watch = new PassThrough();
  const page = open((_, { pathname, searchParams }) => {
    if (searchParams.has('watch')) return watch;
    return pathname.endsWith('/a')
      ? json({ metadata: { name: 'a', resourceVersion: '1' } })
      : status(404, 'NotFound', 'no b');
  });
  page.ask({ type: 'object', ...PODS, name: 'b', reveal: false });
  await page.until('gone');
  page.ask({ type: 'object', ...PODS, name: 'a', reveal: false });
  await page.until('object', 2);
  // One that heeds no selector.
  watch.write(event('DELETED', { metadata: { name: 'other' } }));
  watch.write(event('DELETED', { metadata: { name: 'a' } }));

  expect(await page.until('gone', 2)).toEqual([
    { type: 'gone', id: 1 },
    { type: 'gone', id: 2 },
  ]);
});

test('logs come as fast as the page takes them, letters that lie across two parts whole', async () => {
  const log = new PassThrough();
  const page = open(() => log, { isLazy: true });
  page.ask({
    ...{ type: 'logs', namespace: 'shop', pod: 'api-1', container: 'api', follow: true, previous: false },
    tailLines: 100,
  });
  const bytes = Buffer.from('größer\n');
  log.write(bytes.subarray(0, 3));
  await page.until('piece');
  log.write(bytes.subarray(3));
  const pieces = await page.until('piece', 2);
  expect(pieces.map(({ text }) => text).join('')).toBe('größer\n');
  expect(page.asked[0]?.target).toBe(
    '/api/v1/namespaces/shop/pods/api-1/log?container=api&timestamps=true&follow=true&tailLines=100',
  );

  const much = Buffer.alloc(4 * 1024 * 1024, 'a');
  log.write(much);
  log.end();
  await page.until('piece', 18);
  await sleep(50);
  const sent = () => page.heard.reduce((sum, reply) => sum + ('text' in reply ? reply.text.length : 0), 0);
  expect(sent()).toBeLessThan(1_200_000);
  for (let seq = 0; !page.heard.some(({ type }) => type === 'done'); seq = page.heard.length - 1) {
    page.tasks.hear({ type: 'ack', id: 1, seq });
    await sleep(1);
  }
  expect(sent()).toBe(much.length + 7);
});

test('namespaces that may not be listed are those that are known otherwise', async () => {
  const page = open(() => status(403, 'Forbidden', 'cannot list namespaces'));
  page.ask({ type: 'namespaces' });

  expect((await page.until('namespaces'))[0]).toMatchObject({
    names: ['bank', 'shop'],
    from: 'configured',
    why: 'cannot list namespaces',
  });
});

test('a part of the API that is away hides no other', async () => {
  const page = open((_, { pathname }) => {
    if (pathname === '/apis')
      return json({
        groups: ['apps', 'metrics'].map((name) => ({ name, versions: [{ version: 'v1' }] })),
      });
    if (pathname === '/apis/metrics/v1') return status(503, 'ServiceUnavailable', 'away');
    const name = pathname === '/api/v1' ? 'pods' : 'deployments';
    return json({
      resources: [
        { name, kind: 'Some', namespaced: true, verbs: ['list', 'get'] },
        { name: `${name}/status`, kind: 'Some', namespaced: true, verbs: ['get'] },
      ],
    });
  });
  page.ask({ type: 'kinds' });

  expect((await page.until('kinds'))[0]).toMatchObject({
    isCut: true,
    kinds: [
      { apiGroup: '', resource: 'pods' },
      { apiGroup: 'apps', resource: 'deployments' },
    ],
  });
});

test('a change is tried before it is made, with what the cluster warns of', async () => {
  const page = open(() => json({ kind: 'Deployment' }, 200, ['warning', '299 - "old \\"v1\\" is going away"']));
  const body = '{"spec":{"replicas":2}}';
  const ref = { ...PODS, apiGroup: 'apps', resource: 'deployments', name: 'api' };
  page.ask({ type: 'patch', ...ref, subresource: 'scale', body, dryRun: true });
  const [written] = await page.until('written');

  expect(written).toMatchObject({ warnings: ['old "v1" is going away'], json: '{"kind":"Deployment"}' });
  expect(page.asked[0]).toMatchObject({
    method: 'PATCH',
    target: '/apis/apps/v1/namespaces/shop/deployments/api/scale?dryRun=All&fieldManager=gatehouse',
  });
});

test('whatever is open ends with the page, and answers nothing more', async () => {
  const watch = new PassThrough();
  const page = open((_, { searchParams }) => (searchParams.has('watch') ? watch : json(table([]))));
  page.ask({ type: 'list', ...PODS });
  await page.until('listed');
  const before = page.heard.length;
  page.over.abort(new Error('closed'));
  await sleep(10);

  expect([watch.destroyed, page.heard.length]).toEqual([true, before]);
});

test('nobody is shown the values of secrets by what stands in place of a kind', () => {
  for (const resource of ['watch', 'proxy']) {
    const asked = { type: 'object', id: 1, apiGroup: '', apiVersion: 'v1', resource, namespace: '', name: 'secrets' };
    expect(browseRequest.safeParse(asked).success).toBe(false);
    expect(browseRequest.safeParse({ ...asked, resource: 'pods' }).success).toBe(true);
  }
});
