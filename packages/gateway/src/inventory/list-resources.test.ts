import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filterSuite } from '../../testing/inventory/filter-suite.ts';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { ResourcePage } from './list-plan.ts';
import { listResources } from './list-resources.ts';
import { putResources } from './resource-store.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
});
afterAll(() => storage.close());

filterSuite(() => storage, Number(process.env.PROPERTY_RUNS ?? 150));

describe('a list', () => {
  beforeAll(async () => {
    const node = (id: string, name: string, labels: Record<string, string>, spec: object) =>
      ({ cluster: 'c', kind: 'node', id, name, labels, spec, owner: '', expires: undefined }) as const;
    await storage.db
      .transaction()
      .execute((tx) =>
        putResources(
          tx,
          [
            node(
              'n1',
              'Web-1',
              { env: 'prod', 'teleport.internal/x': 'hidden words' },
              { type: 'openssh', addr: '10.9.8.7:22' },
            ),
            node('n2', 'web-2', { env: 'dev' }, { type: 'agent' }),
            node('n3', 'db-1', { env: 'prod' }, { type: 'openssh', addr: '10.1.1.1:22', through: 'a' }),
          ],
          0,
        ),
      );
  });
  const page: ResourcePage = { cluster: 'c', kind: 'node', limit: 10 };
  const names = async (more: Partial<ResourcePage>) =>
    (await listResources(storage.db, { type: 'all' }, { ...page, ...more })).items.map(({ name }) => name);

  test.each([
    ['web', ['Web-1', 'web-2']],
    ['WEB prod', ['Web-1']],
    ['"eb-"', ['Web-1', 'web-2']],
    ['9.8', ['Web-1']],
    ['n2', ['web-2']],
    ['"hidden words"', ['Web-1']],
    ['internal/x', ['Web-1']],
    ['"words hidden"', []],
    ['tunnel', ['db-1', 'web-2']],
    ['tunne', []],
    ['e', ['Web-1', 'db-1', 'web-2']],
    ['env dev', ['web-2']],
  ])('finds by %s', async (search, expected) => {
    expect(await names({ search })).toEqual(expected);
  });

  test('holds what both the query and the search ask for', async () => {
    expect(await names({ search: 'web', query: 'labels.env == "prod"' })).toEqual(['Web-1']);
    expect(await names({ query: 'labels.absent != "prod" && search("db")' })).toEqual(['db-1']);
  });

  test('is counted only when an order is asked for', async () => {
    const count = async (more: Partial<ResourcePage>) =>
      (await listResources(storage.db, { type: 'all' }, { ...page, ...more })).totalCount;

    expect(await count({})).toBe(0);
    expect(await count({ limit: 1, sort: 'hostname' })).toBe(3);
    expect(await count({ limit: 1, sort: 'hostname:desc', search: 'web' })).toBe(2);
  });

  test('comes in the asked order', async () => {
    expect(await names({ sort: 'hostname:desc' })).toEqual(['web-2', 'db-1', 'Web-1']);
    expect(await names({ sort: 'name' })).toEqual(['Web-1', 'web-2', 'db-1']);
    expect(await names({ sort: 'address:asc' })).toEqual(['web-2', 'db-1', 'Web-1']);
  });

  test.each([
    [{ query: 'labels.env == prod' }, "query has 'prod' at character 15"],
    [{ query: 'name ==' }, 'query ends at character 8 where a value should stand'],
    [{ sort: 'hostname:up' }, "sort must end with :asc or :desc, not ':up'"],
    [{ startKey: 'nonsense' }, 'the start key is not one that was given out'],
  ])('refuses %j', async (more, message) => {
    await expect(names(more)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) });
  });

  test('says of an order that there is not that it is not there', async () => {
    await expect(names({ sort: 'size:asc' })).rejects.toMatchObject({
      code: 'not_available',
      message: "sort names 'size'; this list can be sorted by name, hostname, address",
    });
  });

  test('does not go on by a key of another order', async () => {
    const { startKey } = await listResources(storage.db, { type: 'all' }, { ...page, limit: 1, sort: 'hostname:asc' });

    await expect(names({ startKey, sort: 'hostname:desc' })).rejects.toThrow(
      'the start key belongs to a list in another order',
    );
    expect(await names({ startKey, sort: 'hostname:asc' })).toEqual(['db-1', 'web-2']);
  });
});
