/** Applications of agents on a real PostgreSQL, where readers see what others commit between two statements. */
import { startPostgres, type TestPostgres } from '@gatehouse/tools/postgres';
import { afterAll, beforeAll } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { openSuiteStorage } from '../storage/testing/test-folder.ts';
import { shownAddressSuite } from './testing/shown-address-suite.ts';
import { withdrawnOfferSuite } from './testing/withdrawn-offer-suite.ts';

let postgres: TestPostgres;
let storage: Storage;
beforeAll(async () => {
  postgres = await startPostgres();
  storage = await openSuiteStorage(postgres.url);
});
afterAll(async () => {
  await storage?.close();
  await postgres?.stop();
});

withdrawnOfferSuite(() => storage);
shownAddressSuite(() => storage);
