import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { startRecordingWorld } from '../../../../testing/recordings/playback/recording-world.ts';
import { rightsSuite } from '../../../../testing/recordings/playback/rights-suite.ts';
import { searchSuite } from '../../../../testing/recordings/playback/search-suite.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const start = async () => startRecordingWorld(await openSuiteStorage(await storeDatabase(postgres)));

describe('recordings on PostgreSQL', () => {
  describe('rights', () => rightsSuite(start));
  describe('search', () => searchSuite(start));
});
