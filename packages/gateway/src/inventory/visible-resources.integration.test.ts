import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll } from 'vitest';
import { visibilitySuite } from '../../testing/inventory/visibility-suite.ts';
import { openSuiteStorage } from '../../testing/storage/test-folder.ts';
import type { Storage } from '../platform/storage/storage.ts';

let postgres: TestPostgres;
let storage: Storage;
beforeAll(async () => {
  postgres = await startPostgres();
  storage = await openSuiteStorage(postgres.url);
});
afterAll(async () => {
  await storage.close();
  await postgres.stop();
});

visibilitySuite(() => storage, 150);
