/** Users that are made on the fly where more than one gateway lets people in, and where one is killed with somebody in it. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CLUSTER } from '../../../../testing/db/db-world.ts';
import { EditorPage } from '../../../../testing/db/editor-page.ts';
import { MAKER, MAKER_PASSWORD, prepareMaking, startMadeWorld, stateOf } from '../../../../testing/db/made-world.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { signInToProcess } from '../../../../testing/sessions/process-people.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { localSend } from '../../../doors/local-socket/local-send.ts';

const DISABLED = { login: false, roles: [], open: false };
let store: TestPostgres;
let postgres: SecurePostgres;
beforeAll(async () => {
  [store, postgres] = await Promise.all([startPostgres(), startSecurePostgres()]);
  await prepareMaking(postgres);
});
afterAll(async () => {
  await Promise.all([store?.stop(), postgres?.stop()]);
});

test('with two gateways a user stays while somebody is in at one of them, and is disabled by the last', async () => {
  const share = sharedStores(store.url);
  const { port, ca, database } = postgres;
  const world = await startMadeWorld(
    { ...{ protocol: 'postgres', port, ca, database }, dbNames: [database] },
    { shared: await share() },
  );
  onTestFinished(() => world.close());
  await world.give(['reader']);
  const there = await startIdentityGateway({ shared: await share() });
  onTestFinished(() => there.close());
  await there.app.listen({ host: '127.0.0.1', port: 0 });
  const address = there.app.server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const here = new EditorPage({ origin: world.origin, who: world.ann, dbUser: 'ann' });
  await here.next('ready');
  const other = new EditorPage({ origin, who: await there.signedIn('ann'), dbUser: 'ann' });
  await other.next('ready');

  const first = { login: true, roles: ['reader'], open: false };
  here.socket.close();
  await other.run('select * from goods');
  // Whoever looks after those who were left behind finds somebody in.
  expect(await world.gateway.dbDoors.made.sweep()).toBe(1);
  expect(await stateOf(postgres, 'ann')).toEqual(first);
  await other.run('select * from goods');
  other.socket.close();
  await expect.poll(() => stateOf(postgres, 'ann')).toEqual(DISABLED);
  await expect.poll(() => world.gateway.storage.db.selectFrom('made_db_user').selectAll().execute()).toEqual([]);
});

test('who was in when the gateway was killed is disabled by the one that starts after it', async () => {
  const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  onTestFinished(() => gateway.stop());
  const owner = localSend(gateway.dataDir);
  const allow = `{db_labels: {env: dev}, db_users: [bob], db_names: ['*'], db_roles: [writer], rules: [{resources: [db_server], verbs: [list, read]}]}`;
  const spec = `{allow: ${allow}, options: {create_db_user_mode: best_effort_drop}}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: shop-dev}\nspec: ${spec}\n`;
  await call(owner, roleRoutes.create, { body: { content } });
  await call(owner, databaseRoutes.add, {
    params: CLUSTER,
    body: {
      ...{ name: 'shop', protocol: 'postgres', uri: `localhost:${postgres.port}`, signIn: 'password' },
      ...{ tls: { ca: postgres.ca }, database: postgres.database, labels: [{ name: 'env', value: 'dev' }] },
      adminUser: { name: MAKER },
    },
  });
  const params = { ...CLUSTER, name: 'shop', dbUser: MAKER };
  await call(owner, databaseRoutes.setSecret, { params, body: { password: MAKER_PASSWORD } });
  const { headers, token } = await signInToProcess(gateway, 'bob', 'shop-dev');
  const cookies = new Map(
    (headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s, 2) as [string, string]),
  );
  const page = new EditorPage({
    ...{ origin: gateway.origin, host: new URL(gateway.origin).host, who: { cookies, bearer: token } },
    dbUser: 'bob',
  });
  await page.next('ready');
  expect((await stateOf(postgres, 'bob'))?.roles).toEqual(['writer']);

  await gateway.crash();
  expect((await stateOf(postgres, 'bob'))?.login).toBe(true);
  await gateway.start();
  await expect.poll(() => stateOf(postgres, 'bob')).toBeUndefined();
});
