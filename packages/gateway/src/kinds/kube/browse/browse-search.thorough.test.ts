/** Pages that search the log of a container, over the socket of a real gateway: by the right to read it, and no further. */
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BrowsePage } from '../../../../testing/kube/browse-page.ts';
import { type KubeWorld, startKubeWorld } from '../../../../testing/kube/kube-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const script = 'i=0; while [ $i -lt 3000 ]; do echo "line-$i."; i=$((i+1)); done; sleep 600';
const TALKER = { namespace: 'default', pod: 'talker', container: 'main' };

let world: KubeWorld;
const pages: BrowsePage[] = [];
beforeAll(async () => {
  world = await startKubeWorld({
    cluster: {
      objects: [
        podObject('default', 'talker', {
          containers: [{ name: 'main', image: 'example.test/talker:1', command: ['sh', '-c', script] }],
        }),
      ],
    },
  });
  await world.cluster.running('default', 'talker');
});
afterAll(() => world?.close());
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

async function open(who: TestBrowser): Promise<BrowsePage> {
  const page = new BrowsePage(world.origin, who);
  pages.push(page);
  await page.until('ready');
  return page;
}

test('a page hears the hits of a whole log and what stands around one, and each reading of it is in the audit log', async () => {
  const page = await open(world.ann);
  const whole = page.ask({ type: 'logs', ...TALKER, follow: true, previous: false });
  await page.until('piece', ({ id, text }) => id === whole && text.includes('line-2999.'));

  const search = page.ask({ type: 'search', ...TALKER, previous: false, words: 'LINE-299' });
  expect(await page.until('searched', ({ id }) => id === search)).toMatchObject({
    ...{ found: 11, lines: 3000, isCut: false },
  });
  const hits = page.heard.flatMap((reply) => (reply.type === 'hits' && reply.id === search ? reply.hits : []));
  expect(hits.map(({ line }) => line)).toEqual([299, ...Array.from({ length: 10 }, (_, at) => 2990 + at)]);
  expect(hits[0]?.text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z line-299\.$/);

  const around = page.ask({ type: 'logs', ...TALKER, follow: false, previous: false, window: { from: 298, count: 3 } });
  await page.until('done', ({ id }) => id === around);
  const read = page.heard
    .flatMap((reply) => (reply.type === 'piece' && reply.id === around ? [reply.text] : []))
    .join('');
  expect(read.match(/line-\d+/g)).toEqual(['line-298', 'line-299', 'line-300']);
  await expect
    .poll(
      async () =>
        (await world.gateway.events()).filter(
          ({ code, data }) => code === 'T3009I' && String(data.request_path).includes('/pods/talker/log'),
        ).length,
      { timeout: SOON_MS },
    )
    .toBe(3);
});

test('who may not read a log cannot search it', async () => {
  const other = await world.person(
    'other',
    "kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: pods, api_group: '', namespace: other, name: '*', verbs: ['*']}]",
  );
  const page = await open(other);
  const search = page.ask({ type: 'search', ...TALKER, previous: false, words: 'line' });

  expect(await page.until('failed', ({ id }) => id === search)).toMatchObject({ status: 403 });
  expect(page.heard.some(({ type }) => type === 'hits')).toBe(false);
});
