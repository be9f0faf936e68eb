/** What came of a token, told by another gateway on the same database, and by one that was killed while somebody waited. */
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { join } from '../../../../testing/test-agent.ts';
import { localSend } from '../../../doors/local-socket/local-send.ts';

test('a gateway tells what another one on the same PostgreSQL saw', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => startIdentityGateway({ shared: await share() });
  const here = await open();
  const there = await open();
  onTestFinished(async () => {
    await here.close();
    await there.close();
  });
  await here.addUser('admin', { roles: ['editor'] });
  const admin = await here.signedIn('admin');
  const { id: secret, gatehouse } = await call(admin.send, joinTokenRoutes.create, {
    body: { roles: ['Node'], uses: 60 },
  });
  const id = gatehouse?.tokenId ?? '';
  for (let machine = 0; machine < 55; machine += 1) {
    here.clock.now += 1;
    const remoteAddress = `10.0.0.${machine}`;
    await here.app.inject({
      url: `/scripts/${secret}/install-node.sh`,
      remoteAddress,
      headers: { host: 'localhost:3080' },
    });
  }
  await join(here.send, { token: secret, name: 'web-1' });
  await expect(join(here.send, { token: secret, name: 'web-1' })).rejects.toMatchObject({ status: 409 });

  const told = await call((await there.signedIn('admin')).send, joinTokenRoutes.progress, { params: { id } });

  expect(told.fetched).toHaveLength(50);
  expect(told.fetched[0]?.address).toBe('10.0.0.54');
  expect(told.joined).toMatchObject([{ name: 'web-1', resources: [], notTaken: [] }]);
  expect(told.refused).toMatchObject([{ name: 'web-1', next: 'gatehouse agents rm web-1' }]);
  expect(told).toMatchObject({ uses: 1, usesLeft: 59 });
});

test('what was told before the gateway was killed is told after', async () => {
  const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  onTestFinished(() => gateway.stop());
  const made = await call(localSend(gateway.dataDir), joinTokenRoutes.create, { body: { roles: ['Node'] } });
  const id = made.gatehouse?.tokenId ?? '';
  const progress = () => call(localSend(gateway.dataDir), joinTokenRoutes.progress, { params: { id } });
  expect((await fetch(`${gateway.origin}/scripts/${made.id}/install-node.sh`)).status).toBe(200);
  const before = await progress();

  await gateway.crashAndRestart();

  expect(before.fetched).toHaveLength(1);
  expect(await progress()).toEqual(before);
  expect((await fetch(`${gateway.origin}/scripts/${made.id}/install-node.sh`)).status).toBe(200);
  expect((await progress()).fetched).toHaveLength(1);
});
