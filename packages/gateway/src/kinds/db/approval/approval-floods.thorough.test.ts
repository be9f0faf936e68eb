/** What one person can do to the store and to those who decide by asking again and again; and whose requests they are once a cluster is trusted no more. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { deleteTrust, insertTrust } from '../../../identity/federation/stores/trusted-cluster-store.ts';
import { findWantedDb } from '../wanted-db.ts';
import { listOthers, listOwn } from './approval-store.ts';

const CLUSTER = { clusterId: 'localhost' };
const MINUTE_MS = 60_000;
const ALLOW = 'db_labels: {env: prod}, db_users: [app], db_names: [shop]';
const RULES = 'rules: [{resources: [db_server, db_approval], verbs: [list, read, update]}]';
const RECORD = { name: 'shop', protocol: 'postgres', signIn: 'certificate', database: 'shop' } as const;

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let ben: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await makeRole(admin, 'asker', `{options: {db_approval: true}, allow: {${ALLOW}}}`);
  await makeRole(admin, 'approver', `{allow: {db_labels: {env: [prod, dev]}, ${RULES}}}`);
  await gateway.addUser('ann', { roles: ['asker'] });
  await gateway.addUser('ben', { roles: ['approver'] });
  [ann, ben] = [await gateway.signedIn('ann'), await gateway.signedIn('ben')];
  await addRecord('prod');
});
afterEach(() => gateway?.close());

const addRecord = (env: string) =>
  call(admin.send, databaseRoutes.add, {
    params: CLUSTER,
    body: { ...RECORD, uri: `${env}.inside:5432`, labels: [{ name: 'env', value: env }] },
  });
const ask = (sql = 'delete from goods') =>
  call(ann.send, dbApprovalRoutes.ask, {
    params: { ...CLUSTER, name: 'shop' },
    body: { dbUser: 'app', sql, reason: 'old' },
  });
const withdraw = (approval: string) => call(ann.send, dbApprovalRoutes.withdraw, { params: { ...CLUSTER, approval } });
const get = (approval: string, who = ben) => call(who.send, dbApprovalRoutes.get, { params: { ...CLUSTER, approval } });
const listed = async () => (await call(ben.send, dbApprovalRoutes.list, { params: CLUSTER })).items;
const own = async () => (await call(ann.send, dbApprovalRoutes.own, { params: CLUSTER })).items;

test('who asks and withdraws again and again may ask sixty times an hour, and hears when it is possible again', async () => {
  for (let count = 0; count < 60; count += 1) {
    await withdraw((await ask()).id);
    if (count === 0) gateway.clock.advance(5 * MINUTE_MS);
  }
  await expect(ask()).rejects.toThrow('60 times within an hour: ask again in 55 minutes');
  gateway.clock.advance(54 * MINUTE_MS);
  ann = await gateway.signedIn('ann');
  await expect(ask()).rejects.toThrow('ask again in a minute');
  gateway.clock.advance(MINUTE_MS);
  await ask();
  await expect(ask()).rejects.toThrow('ask again in 5 minutes');
});

test.each([
  ['a short text', 'select 1', 8, 8],
  ['the longest that is shown whole', `select '${'x'.repeat(1_991)}'`, 2_000, 2_000],
  ['one character more', `select '${'x'.repeat(1_992)}'`, 2_000, 2_001],
  ['a long one', `select '${'x'.repeat(60_000)}'`, 2_000, 60_009],
])('lists have the beginning of %s, with the length of all of it', async (_, sql, shown, length) => {
  const { id } = await ask(sql);

  expect(await listed()).toMatchObject([{ id, sql: sql.slice(0, shown), length }]);
  expect(await own()).toMatchObject([{ id, sql: sql.slice(0, shown), length }]);
  expect(await get(id)).toMatchObject({ sql, length: sql.length });
});

test.each([1_400, 1_900, 1_992, 2_500])(
  'of a text with %i characters that are two to a page, no list has a beginning that passes for the whole',
  async (count) => {
    const sql = `select '${'\u{1f4a5}'.repeat(count)}'`;
    const { id } = await ask(sql);

    for (const item of [...(await listed()), ...(await own())]) {
      expect(sql.startsWith(item.sql)).toBe(true);
      expect(item.length).toBeGreaterThan(item.sql.length);
    }
    expect((await get(id)).length).toBe(sql.length);
  },
);

test('no list asks the store for whole texts', async () => {
  await ask(`select '${'x'.repeat(60_000)}'`);
  const { db } = gateway.storage;
  const texts: number[] = [];
  const counting = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      texts.push(JSON.stringify(result.rows).length);
      return result;
    },
  });
  expect(await listOthers(counting, 'localhost', 'ben', ['shop'])).toHaveLength(1);
  expect(await listOwn(counting, 'localhost', { name: 'ann', since: 0 })).toHaveLength(1);

  expect(Math.max(...texts)).toBeLessThan(4_000);
});

test('of what waits for another database of that name the list shows nothing, wherever its password ends', async () => {
  const sql = `select '${'x'.repeat(1_950)}'; alter role app password 'very ${'secret'.repeat(20)}'`;
  const { id } = await ask(sql);
  expect((await listed())[0]?.sql).toContain("password 'very secret");
  await call(admin.send, databaseRoutes.remove, { params: { ...CLUSTER, name: 'shop' } });
  await addRecord('dev');

  expect(await listed()).toMatchObject([{ id, sql: '', length: sql.length }]);
  expect((await get(id)).sql).toContain("password '***'");
});

test('whoever comes from a cluster that is trusted anew has nothing of who came from the one before', async () => {
  const { db } = gateway.storage;
  const trust = {
    ...{ name: 'root', content: '', enabled: true, address: 'https://root.example.com', createdBy: 'admin' },
    ...{ rootId: 'r', rootName: 'root', rootKey: 'key', rootNext: undefined },
  };
  const trusted = () =>
    db.transaction().execute(async (tx) => void (await insertTrust(tx, { ...trust, created: gateway.clock.now })));
  const ofRemote = async () => {
    const { id } = await ask();
    await call(ben.send, dbApprovalRoutes.decide, {
      params: { ...CLUSTER, approval: id },
      body: { state: 'APPROVED' },
    });
    await db.updateTable('db_approval').set({ user: 'root/ann' }).where('id', '=', id).execute();
    return id;
  };
  const take = async (id: string) => {
    const who = { username: 'root/ann', roles: ['asker'], traits: {} };
    const signIn = { signInId: 's', signInKind: 'browser', authType: 'local' } as const;
    const actor = { ...who, ...signIn, acl: gateway.access.aclOf(who) };
    const asked = { name: 'shop', dbUser: 'app', dbName: 'shop' };
    const wanted = await findWantedDb({ db, access: gateway.access, clusterName: 'localhost' }, actor, asked);
    return await gateway.dbDoors.approvals.take(actor, id, wanted, { id: 'session', address: '127.0.0.1' });
  };
  await trusted();
  gateway.clock.advance(1_000);
  const [one, two] = [await ofRemote(), await ofRemote()];
  expect(await take(one)).toMatchObject({ by: 'ben' });

  await db.transaction().execute((tx) => deleteTrust(tx, 'root'));
  await expect(take(two)).rejects.toThrow('not found');
  gateway.clock.advance(1_000);
  await trusted();
  await expect(take(two)).rejects.toThrow('not found');
});
