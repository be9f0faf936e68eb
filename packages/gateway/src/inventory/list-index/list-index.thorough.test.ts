import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { filterSuite } from '../../../testing/inventory/filter-suite.ts';
import { type LocalIndex, openLocalIndex } from '../../../testing/inventory/local-index.ts';
import { visibilitySuite } from '../../../testing/inventory/visibility-suite.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { askAboutLabels } from '../label-set-store.ts';
import type { ResourcePage } from '../list-plan.ts';
import { listResources } from '../list-resources.ts';
import { type NewResource, putResources, removeResource } from '../resource-store.ts';
import { createListIndex, type ListIndex } from './create-list-index.ts';
import { type IndexThread, startIndexThread } from './index-thread.ts';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 150);

describe.each(['filters', 'what is seen'])('in memory: %s', (suite) => {
  let storage: Storage;
  let index: LocalIndex;
  beforeAll(async () => {
    storage = await openMemoryStorage(() => 0);
    index = openLocalIndex(storage.db);
  });
  afterAll(async () => {
    expect(index.answers).toBeGreaterThan(RUNS);
    await index.close();
    await storage.close();
  });

  if (suite === 'filters')
    filterSuite(
      () => storage,
      RUNS,
      () => index,
    );
  else
    visibilitySuite(
      () => storage,
      RUNS,
      () => index,
    );
});

describe('with a thread of its own', () => {
  let storage: Storage;
  let index: ListIndex | undefined;
  let thread: IndexThread | undefined;
  let uses = 0;
  afterEach(async () => {
    await index?.close();
    await storage.close();
  });

  const page: ResourcePage = { cluster: 'c', kind: 'node', limit: 3, sort: 'hostname' };
  const list = (more: Partial<ResourcePage> = {}) =>
    listResources(
      storage.db,
      { type: 'all' },
      { ...page, ...more },
      {
        async find(seen, plan) {
          const found = await index?.find(seen, plan);
          if (found) uses += 1;
          return found;
        },
      },
    );
  const put = (...resources: NewResource[]) => storage.db.transaction().execute((tx) => putResources(tx, resources, 0));
  const start = async (count: number) => {
    uses = 0;
    storage = await openMemoryStorage(() => 0);
    await put(
      ...Array.from({ length: count }, (_, at) => node(`n${String(at).padStart(4, '0')}`, { at: String(at % 7) })),
    );
    index = createListIndex({
      db: storage.db,
      log: silentLog,
      least: 50,
      startThread: () => {
        thread = startIndexThread();
        return thread;
      },
    });
  };
  const filled = () =>
    expect
      .poll(
        async () => {
          await list();
          return uses;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);

  test('the first list is made by the store, later ones in memory, and both are the same', async () => {
    await start(100);
    const asked: Partial<ResourcePage>[] = [
      { search: 'N001' },
      { query: 'labels.at == "3" && name != "n0003"', sort: 'name:desc' },
      { skip: 50 },
    ];
    const before = await Promise.all(asked.map(list));
    expect(uses).toBe(0);

    await filled();
    const used = uses;

    expect(await Promise.all(asked.map(list))).toEqual(before);
    expect(uses).toBe(used + asked.length);
  });

  test('a list knows everything that was written before it', async () => {
    await start(100);
    await filled();
    const used = uses;

    await put(node('a-new', { at: 'x' }), node('n0001', { at: 'moved' }, { owner: 'agent' }));
    const { items, totalCount } = await list({ query: 'labels.at == "x" || labels.at == "moved"' });
    await storage.db.transaction().execute((tx) => removeResource(tx, { cluster: 'c', kind: 'node', id: 'n0001' }));
    const later = await list({ search: 'n000' });

    expect(items.map(({ name }) => name)).toEqual(['a-new', 'n0001']);
    expect(totalCount).toBe(2);
    expect(later.items.map(({ name }) => name)).toEqual(['n0000', 'n0002', 'n0003']);
    expect(later.totalCount).toBe(9);
    expect(uses).toBe(used + 2);
  });

  test('when roles begin to ask about a label, what is seen is decided on the new sets', async () => {
    await start(100);
    await filled();
    const before = await storage.db.selectFrom('label_set').select('id').execute();
    await storage.db.transaction().execute((tx) => askAboutLabels(tx, ['at']));
    const seen = { type: 'some', groups: [{ ids: before.map(({ id }) => id), name: undefined }] } as const;

    const { totalCount } = await listResources(storage.db, seen, page, index);
    await filled();
    const inMemory = await listResources(storage.db, seen, page, index);

    expect([totalCount, inMemory.totalCount]).toEqual([0, 0]);
  });

  test('few resources are left to SQL', async () => {
    await start(20);

    for (let round = 0; round < 5; round += 1) await list();

    expect(uses).toBe(0);
    expect(thread?.ended ?? true).toBe(true);
  });

  test('without its thread, lists go on by SQL', async () => {
    await start(100);
    await filled();
    await thread?.close();
    const used = uses;

    expect(await list()).toMatchObject({ totalCount: 100 });
    expect(uses).toBe(used);
  });
});

function node(name: string, labels: Record<string, string>, more: Partial<NewResource> = {}): NewResource {
  return {
    cluster: 'c',
    kind: 'node' satisfies Kind,
    id: name,
    name,
    labels,
    spec: { type: 'openssh', addr: '10.0.0.1:22' },
    owner: '',
    expires: undefined,
    ...more,
  };
}
