/** Records that were stored before a rule, or before something was derived from them. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { insertAgent, noteDatabaseMatch } from '../../reach/agents/registry/agent-store.ts';
import { readDb } from './listed-db.ts';
import { sortOldDbs } from './sort-old-dbs.ts';
import { choose } from './wanted-db.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  const add = (name: string, protocol: 'postgres' | 'mysql' | 'redis', uri: string) =>
    call(admin.send, databaseRoutes.add, { params: CLUSTER, body: { name, protocol, uri } });
  await add('a-own', 'postgres', '10.0.0.1');
  await add('b-cloud', 'mysql', 'shop.c1.eu-west-1.rds.amazonaws.com');
  await add('c-cache', 'redis', '10.0.0.3');
});
afterAll(() => gateway?.close());

const list = (query = {}) => call(admin.send, databaseRoutes.list, { params: CLUSTER, query });
const named = async (query: object) => (await list(query)).items.map(({ name }) => name);

/** As if it had been stored so. */
async function store(name: string, spec: object): Promise<void> {
  const { db } = gateway.storage;
  const where = { cluster: 'localhost', kind: 'db', id: name } as const;
  await db
    .updateTable('resource')
    .set({ spec: JSON.stringify(spec) })
    .where('cluster', '=', where.cluster)
    .where('kind', '=', where.kind)
    .where('id', '=', where.id)
    .execute();
}

test('databases come in the order of their types, those too that were stored before', async () => {
  const byType = ['b-cloud', 'a-own', 'c-cache'];
  expect(await named({ sort: 'type:asc' })).toEqual(byType);
  expect(await named({ sort: 'type:desc' })).toEqual(byType.toReversed());
  expect(await named({ search: 'rds' })).toEqual(['b-cloud']);

  await gateway.storage.db.updateTable('resource').set({ third_key: '' }).where('kind', '=', 'db').execute();
  await sortOldDbs(gateway.storage.db, gateway.clock.now);
  expect(await named({ sort: 'type:asc' })).toEqual(byType);
});

test('a record that breaks a rule is listed with what is wrong, lets nobody in, and is repaired', async () => {
  await store('a-own', { protocol: 'postgres', uri: '10.0.0.1', users: ['app'], tls: { mode: 'verify-ca' } });
  const marked = (await list()).items.map(({ name, gatehouse }) => [name, gatehouse?.wrong]);
  expect(marked[0]).toEqual(['a-own', expect.stringContaining('tls.ca is empty')]);
  expect(marked.slice(1)).toEqual([
    ['b-cloud', undefined],
    ['c-cache', undefined],
  ]);
  const found = await readDb(gateway.storage.db, { cluster: 'localhost', name: 'a-own' });
  expect(() => choose(found!, { dbUser: 'app', dbName: 'shop' })).toThrow(
    /lets nobody in until it is changed: tls\.ca/,
  );

  const { ca } = await makeTestAuthority();
  const params = { ...CLUSTER, name: 'a-own' };
  const body = { tls: { mode: 'verify-ca' as const, ca } };
  const repaired = await call(admin.send, databaseRoutes.update, { params, body });
  expect(repaired.gatehouse?.wrong).toBeUndefined();
  // What it said otherwise stays.
  expect(await call(admin.send, databaseRoutes.details, { params })).toMatchObject({ users: ['app'] });
});

test('one that cannot be read at all is seen and removed', async () => {
  await store('c-cache', { protocol: 'dbase', uri: 7, names: ['0'] });
  const params = { ...CLUSTER, name: 'c-cache' };
  expect((await call(admin.send, databaseRoutes.get, { params })).gatehouse?.wrong).toMatch(/^protocol /);
  await call(admin.send, databaseRoutes.remove, { params });
  expect(await named({})).not.toContain('c-cache');
});

test('who may not edit roles sends what signs in to a cloud nowhere', async () => {
  await makeRole(admin, 'dba', '{allow: {rules: [{resources: [db], verbs: ["*"]}], db_labels: {"*": "*"}}}');
  await gateway.addUser('dora', { roles: ['dba'] });
  const { send } = await gateway.signedIn('dora');
  const { ca } = await makeTestAuthority();
  const gcp = { project: 'project', instance: 'shop' };
  // Whoever has the other end of it would have the token.
  const own = { protocol: 'postgres', uri: '10.0.0.9', tls: { mode: 'verify-ca', ca } } as const;
  const rds = { protocol: 'postgres', uri: 'b.c1.eu-west-1.rds.amazonaws.com' } as const;
  const refused = { code: 'denied', message: expect.stringContaining('signs in as the gateway itself') };
  const check = (body: object) => call(send, databaseRoutes.check, { params: CLUSTER, body: { ...own, ...body } });
  const update = (name: string, body: object) =>
    call(send, databaseRoutes.update, { params: { ...CLUSTER, name }, body });

  await expect(check({ gcp, dbUser: 'app' })).rejects.toMatchObject(refused);
  for (const body of [{ ...own, gcp }, rds, { ...rds, signIn: 'aws' as const }])
    await expect(
      call(send, databaseRoutes.add, { params: CLUSTER, body: { name: 'd', ...body } }),
    ).rejects.toMatchObject(refused);
  for (const body of [{ tls: { ca } }, { aws: { roleArn: 'arn:aws:iam::123456789012:role/db' } }, { uri: rds.uri }])
    await expect(update('b-cloud', body)).rejects.toMatchObject(refused);
  await expect(update('a-own', { gcp, signIn: 'gcp' })).rejects.toMatchObject(refused);

  await update('b-cloud', { description: 'of the shop' });
  await call(send, databaseRoutes.add, { params: CLUSTER, body: { name: 'd', ...rds, signIn: 'password' } });
});

test('who may enter none with such labels tries none by the agents that would dial them', async () => {
  const where = 'equals(resource.metadata.labels["team"], "a")';
  await makeRole(admin, 'team', `{allow: {rules: [{resources: [db], verbs: [create], where: '${where}'}]}}`);
  await gateway.addUser('tom', { roles: ['team'] });
  const { send } = await gateway.signedIn('tom');
  await gateway.storage.db.transaction().execute(async (tx) => {
    await insertAgent(tx, {
      ...{ id: 'a1', cluster: 'localhost', name: 'inside', key: 'k', roles: ['Db'], version: '1', created: 0 },
      ...{ labels: {}, offers: {}, group: '', matcherLabels: { '*': ['*'] }, address: '', createdBy: 'admin' },
    });
    await noteDatabaseMatch(tx, 'a1', [{ env: ['prod'] }, { team: ['a'] }]);
  });
  const check = (name: string, value: string) => {
    const body = { protocol: 'postgres' as const, uri: '10.0.0.9', labels: [{ name, value }] };
    return call(send, databaseRoutes.check, { params: CLUSTER, body });
  };

  await expect(check('env', 'prod')).rejects.toMatchObject({ code: 'denied' });
  expect((await check('team', 'a')).steps[0]).toMatchObject({ step: 'reach', status: 'failed' });
});

test('an authority that is none is told by the name it came under', async () => {
  const params = { ...CLUSTER, name: 'b-cloud' };
  const update = call(admin.send, databaseRoutes.update, { params, body: { caCert: 'none' } });

  await expect(update).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining("'caCert'") });
});
