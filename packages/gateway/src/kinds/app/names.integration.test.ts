/** Applications of agents on a real PostgreSQL, where readers see what others commit between two statements. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll } from 'vitest';
import { shownAddressSuite } from '../../../testing/apps/shown-address-suite.ts';
import { withdrawnOfferSuite } from '../../../testing/apps/withdrawn-offer-suite.ts';
import { openSuiteStorage } from '../../../testing/storage/test-folder.ts';
import type { Storage } from '../../platform/storage/storage.ts';

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
