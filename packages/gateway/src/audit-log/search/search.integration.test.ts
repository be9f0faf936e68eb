import { startPostgres, type TestPostgres } from '@gatehouse/tools/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { openSuiteStorage } from '../../storage/testing/test-folder.ts';
import { logSuite } from '../testing/log-suite.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('the log on PostgreSQL', () => logSuite(async () => openSuiteStorage(await postgres.createDatabase())));
