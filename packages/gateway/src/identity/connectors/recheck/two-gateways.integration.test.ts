/** On PostgreSQL, where two gateways really run side by side: what a provider is asked with is used by one of them at a time. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll } from 'vitest';
import { recheckContract } from '../../../../testing/connectors/recheck-contract.ts';
import { testClock } from '../../../../testing/start-test-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { formatMasterKeys, newMasterKey } from '../../../platform/secrets/master-key.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { Secret } from '../../../platform/std/secret.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

recheckContract(async () => {
  const clock = testClock();
  const database = await storeDatabase(postgres);
  const key = new Secret(formatMasterKeys([newMasterKey()]));
  const open = { log: silentLog, now: () => clock.now };
  return async () => ({ storage: await openSuiteStorage(database, open), clock, key });
});
