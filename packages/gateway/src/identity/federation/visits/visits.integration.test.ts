import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { startCluster } from '../../../../testing/federation/two-clusters.ts';
import { visitsContract } from '../../../../testing/federation/visits-contract.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe('with PostgreSQL', () => {
  visitsContract(async (name) => {
    const share = sharedStores(await storeDatabase(postgres));
    return startCluster(name, await share());
  });
});
