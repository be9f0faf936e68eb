import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { logSuite } from '../../../../testing/audit-log/log-suite.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('the log on PostgreSQL', () => logSuite(async () => openSuiteStorage(await storeDatabase(postgres))));
