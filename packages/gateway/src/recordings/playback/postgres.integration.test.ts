import { startPostgres, type TestPostgres } from '@gatehouse/tools/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { openSuiteStorage } from '../../storage/testing/test-folder.ts';
import { startRecordingWorld } from './testing/recording-world.ts';
import { rightsSuite } from './testing/rights-suite.ts';
import { searchSuite } from './testing/search-suite.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const start = async () => startRecordingWorld(await openSuiteStorage(await postgres.createDatabase()));

describe('recordings on PostgreSQL', () => {
  describe('rights', () => rightsSuite(start));
  describe('search', () => searchSuite(start));
});
