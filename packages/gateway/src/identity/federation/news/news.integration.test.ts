import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { claimsContract } from '../../../../testing/federation/claims-contract.ts';
import { newsContract } from '../../../../testing/federation/news-contract.ts';
import { startCluster, type TestCluster } from '../../../../testing/federation/two-clusters.ts';
import { testClock } from '../../../../testing/start-test-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { formatMasterKeys, newMasterKey } from '../../../platform/secrets/master-key.ts';
import { Secret } from '../../../platform/std/secret.ts';

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
    const clock = testClock();
    const storage = await openSuiteStorage(await storeDatabase(postgres), { now: () => clock.now });
    return startCluster(name, { storage, clock, key: new Secret(formatMasterKeys([newMasterKey()])) }, OPTIONS);
  });
});
