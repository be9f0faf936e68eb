import { startPostgres, type TestPostgres } from '@gatehouse/tools/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { openSuiteStorage } from '../storage/testing/test-folder.ts';
import { startRecordingWorld } from './testing/recording-world.ts';
import { upkeepSuite } from './testing/upkeep-suite.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('sessions and recordings, compared on PostgreSQL', () =>
  upkeepSuite(async () => startRecordingWorld({ storage: await openSuiteStorage(await postgres.createDatabase()) })));
