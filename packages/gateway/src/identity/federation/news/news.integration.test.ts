import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { claimsContract } from '../../../../testing/federation/claims-contract.ts';
import { newsContract } from '../../../../testing/federation/news-contract.ts';
import { startCluster, type TestCluster } from '../../../../testing/federation/two-clusters.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';

const OPTIONS = { secondFactor: 'optional', rootLostMs: 1_000 } as const;

/** Each apart: beside each other both would start their clusters before every test. */
function contracts(open: (name: string) => Promise<TestCluster>): void {
  describe('news', () => newsContract(open));
  describe('claims', () => claimsContract(open));
}

describe('with SQLite', () => contracts((name) => startCluster(name, undefined, OPTIONS)));

describe('with PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  contracts(async (name) => {
    const share = sharedStores(await storeDatabase(postgres));
    return startCluster(name, await share(), OPTIONS);
  });
});
