import { afterAll, beforeAll, expect, test } from 'vitest';
import { visibilitySuite } from '../../testing/inventory/visibility-suite.ts';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { listResources } from './list-resources.ts';
import { findResource, putResources, removeExpired, removeResource } from './resource-store.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
});
afterAll(() => storage.close());

visibilitySuite(() => storage, Number(process.env.PROPERTY_RUNS ?? 150));

test('what is not announced again in time is gone, with its labels', async () => {
  const { db } = storage;
  const base = { cluster: 'c', kind: 'node', spec: { addr: 'x' }, owner: 'agent', searchWords: [] } as const;
  await db.transaction().execute(async (tx) => {
    await putResources(
      tx,
      [
        { ...base, id: 'a', name: 'a', labels: { env: 'dev' }, expires: 10 },
        { ...base, id: 'b', name: 'b', labels: { env: 'dev' }, expires: 30 },
        { ...base, id: 'c', name: 'c', labels: {}, expires: undefined },
      ],
      0,
    );
    await removeExpired(tx, 20);
    await removeResource(tx, { ...base, id: 'c' });
  });

  const labels = await db
    .selectFrom('resource_label')
    .innerJoin('resource', 'seq', 'resource')
    .select('key')
    .where('cluster', '=', 'c')
    .execute();

  expect((await listResources(db, { type: 'all' }, { ...base, limit: 10 })).items).toMatchObject([
    { id: 'b', spec: { addr: 'x' } },
  ]);
  expect(labels).toHaveLength(1);
  expect(await findResource(db, { ...base, id: 'a' })).toBeUndefined();
});

test('a start key that was not given out is refused', async () => {
  const page = { cluster: 'c', kind: 'node' as const, limit: 10, startKey: 'nonsense' };

  await expect(listResources(storage.db, { type: 'all' }, page)).rejects.toThrow('start key');
});
