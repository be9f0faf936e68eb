/** On PostgreSQL, where two gateways really run side by side: what a provider is asked with is used by one of them at a time. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll } from 'vitest';
import { recheckContract } from '../../../../testing/connectors/recheck-contract.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

recheckContract(async () => sharedStores(await storeDatabase(postgres)));
