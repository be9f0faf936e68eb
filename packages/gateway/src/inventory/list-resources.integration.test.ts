import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { filterSuite } from '../../testing/inventory/filter-suite.ts';
import { type LocalIndex, openLocalIndex } from '../../testing/inventory/local-index.ts';
import { openSuiteStorage } from '../../testing/storage/test-folder.ts';
import type { Storage } from '../platform/storage/storage.ts';

let postgres: TestPostgres;
let storage: Storage;
let index: LocalIndex;
beforeAll(async () => {
  postgres = await startPostgres();
  storage = await openSuiteStorage(postgres.url);
  index = openLocalIndex(storage.db);
});
afterAll(async () => {
  await index.close();
  await storage.close();
  await postgres.stop();
});

describe('by SQL', () => filterSuite(() => storage, 150));
describe('in memory', () =>
  filterSuite(
    () => storage,
    100,
    () => index,
  ));
