import { startPostgres, type TestPostgres } from '@gatehouse/tools/postgres';
import { afterAll, beforeAll } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { openSuiteStorage } from '../storage/testing/test-folder.ts';
import { labelSweepSuite } from './testing/label-sweep-suite.ts';

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

labelSweepSuite(() => storage);
