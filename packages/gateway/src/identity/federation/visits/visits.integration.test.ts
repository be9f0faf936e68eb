import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { startCluster } from '../../../../testing/federation/two-clusters.ts';
import { visitsContract } from '../../../../testing/federation/visits-contract.ts';
import { testClock } from '../../../../testing/start-test-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { formatMasterKeys, newMasterKey } from '../../../platform/secrets/master-key.ts';
import { Secret } from '../../../platform/std/secret.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('with PostgreSQL', () => {
  visitsContract(async (name) => {
    const clock = testClock();
    const storage = await openSuiteStorage(await storeDatabase(postgres), { now: () => clock.now });
    return startCluster(name, { storage, clock, key: new Secret(formatMasterKeys([newMasterKey()])) });
  });
});
