/** Two gateways over one PostgreSQL, asked for the same token of the method `iam`, or to bind one, at the same moment. */
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { ACCOUNT } from '../../../../testing/aws/identities.ts';
import { startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { bindName } from '../join-tokens/join-token-store.ts';

test('everybody gets the same one, and it is made once', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => {
    const gateway = await startIdentityGateway({ shared: await share() });
    onTestFinished(() => gateway.close());
    return gateway;
  };
  const [here, there] = [await open(), await open()];
  await here.addUser('admin', { roles: ['editor'] });
  const browsers = [await here.signedIn('admin'), await there.signedIn('admin')];
  const asked = { roles: ['Node' as const], join_method: 'iam', allow: [{ aws_account: ACCOUNT }] };

  for (const uses of [1, 2, 3, 4, 5]) {
    const body = { ...asked, uses };
    const made = await Promise.all(
      [...browsers, ...browsers].map(({ send }) => call(send, joinTokenRoutes.create, { body })),
    );
    expect(new Set(made.map(({ gatehouse }) => gatehouse?.tokenId)).size).toBe(1);
  }

  // A token for one application, whichever: of two names at once one is let in, and stays.
  for (let round = 0; round < 5; round += 1) {
    const { gatehouse } = await call(browsers[0]!.send, joinTokenRoutes.create, { body: { roles: ['App'] } });
    const id = gatehouse?.tokenId ?? '';
    const bind = (gateway: typeof here, name: string) => bindName(gateway.storage.db, id, 'apps', name);
    const [first, second] = await Promise.all([bind(here, 'wiki'), bind(there, 'shop')]);
    expect([first, second].filter(Boolean)).toHaveLength(1);
    expect([await bind(there, 'wiki'), await bind(here, 'shop')]).toEqual([first, second]);
  }
});
