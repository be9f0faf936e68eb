/** How many files somebody uses at once where the store answers many at the same moment. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOGINS, openEdge, startEdgeFiles } from '../../../../testing/files/edge-files.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import type { TestAgent } from '../../../../testing/test-agent.ts';

let postgres: TestPostgres;
let gateway: IdentityGateway;
let agent: TestAgent;

beforeAll(async () => {
  postgres = await startPostgres();
  const share = sharedStores(await storeDatabase(postgres));
  gateway = await startIdentityGateway({ shared: await share() });
  ({ agent } = await startEdgeFiles(gateway));
});
afterAll(async () => {
  await agent.close({ drainMs: 0 });
  await gateway.close();
  await postgres.stop();
});

test('who asks for the files of thirty logins at the same moment has those of twenty', async () => {
  await gateway.addUser('hasty', { roles: ['dev'] });
  const hasty = await gateway.signedIn('hasty');

  const asked = await Promise.allSettled(LOGINS.map((login) => openEdge(gateway, hasty, login)));

  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  const rows = await gateway.storage.db.selectFrom('file_session').select('id').where('user', '=', 'hasty').execute();
  expect(rows).toHaveLength(20);
});
