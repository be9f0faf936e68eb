/** Two gateways on one PostgreSQL: what was approved is given to one of them. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { findWantedDb } from '../wanted-db.ts';

const CLUSTER = { clusterId: 'localhost' };
const TIMES = 10;
let store: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;

beforeAll(async () => {
  store = await startPostgres();
  const share = sharedStores(store.url);
  here = await startIdentityGateway({ shared: await share() });
  there = await startIdentityGateway({ shared: await share() });
});
afterAll(async () => {
  await here?.close();
  await there?.close();
  await store?.stop();
});

async function take(gateway: IdentityGateway, id: string): Promise<unknown> {
  const { access, storage, dbDoors } = gateway;
  const who = { username: 'ann', roles: ['asker'], traits: {} };
  const signIn = { signInId: 's', signInKind: 'browser', authType: 'local' } as const;
  const actor = { ...who, ...signIn, acl: access.aclOf(who) };
  const asked = { name: 'shop', dbUser: 'app', dbName: 'shop' };
  const wanted = await findWantedDb({ db: storage.db, access, clusterName: 'localhost' }, actor, asked);
  return await dbDoors.approvals.take(actor, id, wanted, { id: 'session', address: '127.0.0.1' });
}

test('asked of both at the same time, again and again, it is given once', async () => {
  await here.addUser('admin', { roles: ['editor'] });
  const admin = await here.signedIn('admin');
  const labels = 'db_labels: {env: prod}';
  await makeRole(
    admin,
    'asker',
    `{options: {db_approval: true}, allow: {${labels}, db_users: [app], db_names: [shop]}}`,
  );
  const rules = 'rules: [{resources: [db_server, db_approval], verbs: [list, read, update]}]';
  await makeRole(admin, 'approver', `{allow: {${labels}, ${rules}}}`);
  await here.addUser('ann', { roles: ['asker'] });
  await here.addUser('ben', { roles: ['approver'] });
  const [ann, ben] = [await here.signedIn('ann'), await here.signedIn('ben')];
  const record = { name: 'shop', protocol: 'postgres', uri: 'shop.inside:5432', signIn: 'certificate' } as const;
  const body = { ...record, labels: [{ name: 'env', value: 'prod' }] };
  await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
  const ids: string[] = [];
  for (let count = 0; count < TIMES; count += 1) {
    const asked = { dbUser: 'app', dbName: 'shop', sql: 'delete from goods', reason: 'old' };
    const { id } = await call(ann.send, dbApprovalRoutes.ask, { params: { ...CLUSTER, name: 'shop' }, body: asked });
    await call(ben.send, dbApprovalRoutes.decide, {
      params: { ...CLUSTER, approval: id },
      body: { state: 'APPROVED' },
    });
    ids.push(id);
  }
  await here.settled();
  await there.settled();

  for (const id of ids) {
    const all = await Promise.allSettled([here, there, here, there].map((gateway) => take(gateway, id)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
  const used = (await here.events()).filter(({ code }) => code === 'GH398I').map(({ data }) => data.approval);
  expect(used).toEqual(ids);
});

test('lists have the beginning of a text, and how long it is, from this store as from the other', async () => {
  const [ann, ben] = [await here.signedIn('ann'), await here.signedIn('ben')];
  const sql = `select '${'é'.repeat(20_000)}'`;
  const body = { dbUser: 'app', dbName: 'shop', sql, reason: 'long' };
  const { id } = await call(ann.send, dbApprovalRoutes.ask, { params: { ...CLUSTER, name: 'shop' }, body });

  const { items } = await call(ben.send, dbApprovalRoutes.list, { params: CLUSTER });
  expect(items[0]).toMatchObject({ id, sql: sql.slice(0, 2_000), length: sql.length });
  const own = (await call(ann.send, dbApprovalRoutes.own, { params: CLUSTER })).items;
  expect(own.find((item) => item.id === id)).toMatchObject({ sql: sql.slice(0, 2_000), length: sql.length });
});
