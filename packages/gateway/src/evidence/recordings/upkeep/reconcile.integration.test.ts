import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { startRecordingWorld } from '../../../../testing/recordings/recording-world.ts';
import { upkeepSuite } from '../../../../testing/recordings/upkeep-suite.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('sessions and recordings, compared on PostgreSQL', () =>
  upkeepSuite(async () => startRecordingWorld({ storage: await openSuiteStorage(await storeDatabase(postgres)) })));
