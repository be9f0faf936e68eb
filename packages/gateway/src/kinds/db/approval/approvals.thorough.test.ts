/** Who may ask for a statement, decide about it, and run it, and when. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { type ApprovalState, dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { codeOf, enrolApp, type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findWantedDb } from '../wanted-db.ts';

const CLUSTER = { clusterId: 'localhost' };
const SQL = "update goods set price = 2 where id = 1; update goods set note = 'x'";
const HOUR_MS = 60 * 60_000;
const ASKER =
  '{options: {db_approval: true}, allow: {db_labels: {env: prod}, db_users: [app, owner], db_names: [shop, other]}}';
const RULES =
  'rules: [{resources: [db_server], verbs: [list, read]}, {resources: [db_approval], verbs: [list, read, update]}]';

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let ben: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await makeRole(admin, 'asker', ASKER);
  await makeRole(admin, 'approver', `{allow: {db_labels: {env: prod}, ${RULES}}}`);
  for (const [name, roles] of Object.entries({ ann: ['asker'], ben: ['approver'], eve: ['asker'], zoe: [] }))
    await gateway.addUser(name, { roles });
  ann = await gateway.signedIn('ann');
  ben = await gateway.signedIn('ben');
  for (const [name, env] of [
    ['shop', 'prod'],
    ['stock', 'prod'],
    ['far', 'dev'],
  ] as const)
    await call(admin.send, databaseRoutes.add, {
      params: CLUSTER,
      body: {
        ...{ name, protocol: 'postgres', uri: `${name}.inside:5432`, signIn: 'certificate' },
        ...{ database: 'shop', labels: [{ name: 'env', value: env }] },
      },
    });
});
afterEach(() => gateway?.close());

type AskOptions = Partial<{ who: TestBrowser; name: string; dbUser: string; sql: string }>;
const ask = ({ who = ann, name = 'shop', dbUser = 'app', sql = SQL }: AskOptions = {}) =>
  call(who.send, dbApprovalRoutes.ask, { params: { ...CLUSTER, name }, body: { dbUser, sql, reason: 'the prices' } });
const decide = (approval: string, state: 'APPROVED' | 'DENIED' = 'APPROVED', who = ben) =>
  call(who.send, dbApprovalRoutes.decide, { params: { ...CLUSTER, approval }, body: { state, note: 'seen' } });
const withdraw = (approval: string, who = ann) =>
  call(who.send, dbApprovalRoutes.withdraw, { params: { ...CLUSTER, approval } });
const get = (approval: string, who = ann) => call(who.send, dbApprovalRoutes.get, { params: { ...CLUSTER, approval } });
const listed = async (who = ben) => (await call(who.send, dbApprovalRoutes.list, { params: CLUSTER })).items;
const codes = async () => (await gateway.events()).map(({ code }) => code).filter((code) => /^GH39[4-8]/.test(code));
const setRole = async (name: string, spec: string) => {
  const content = `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
  await call(admin.send, roleRoutes.update, { params: { name }, body: { content } });
};
const lock = async (targets: object) => {
  await call(admin.send, lockRoutes.create, { params: CLUSTER, body: { targets, force: true } as never });
};

/** As the workbench of somebody would. */
async function take(
  id: string,
  { user = 'ann', roles = ['asker'], name = 'shop', dbUser = 'app', dbName = '' } = {},
): Promise<{ sql: string; by: string }> {
  const who = { username: user, roles, traits: {} };
  const actor = {
    ...who,
    acl: gateway.access.aclOf(who),
    signInId: 's',
    signInKind: 'browser',
    authType: 'local',
  } as const;
  const { db } = gateway.storage;
  const wanted = await findWantedDb({ db, access: gateway.access, clusterName: 'localhost' }, actor, {
    name,
    dbUser,
    dbName,
  });
  return await gateway.dbDoors.approvals.take(actor, id, wanted, { id: 'session', address: '127.0.0.1' });
}

async function approved(asked: AskOptions = {}): Promise<string> {
  const { id } = await ask(asked);
  await decide(id);
  return id;
}

test('what somebody asks for is decided by somebody else, run once, and told at each step', async () => {
  const { id, state, statements, mayDecide } = await ask();
  expect({ state, statements, mayDecide }).toEqual({ state: 'PENDING', statements: 2, mayDecide: false });
  expect(await listed()).toMatchObject([{ id, user: 'ann', sql: SQL, reason: 'the prices', mayDecide: true }]);

  expect(await decide(id)).toMatchObject({ state: 'APPROVED', decidedBy: 'ben', note: 'seen', mayDecide: false });
  expect(await take(id)).toEqual({ id, by: 'ben', sql: SQL });
  expect((await get(id)).state).toBe('USED');
  await expect(take(id)).rejects.toThrow('run already');
  expect(await codes()).toEqual(['GH394I', 'GH395I', 'GH398I']);
  const used = (await gateway.events()).find(({ code }) => code === 'GH398I')?.data;
  expect(used).toMatchObject({ user: 'ann', approval: id, approved_by: 'ben', sid: 'session', db_service: 'shop' });
});

test('taken at the same time, it is given once', async () => {
  const id = await approved();
  const all = await Promise.allSettled([take(id), take(id), take(id)]);

  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await codes()).filter((code) => code === 'GH398I')).toHaveLength(1);
});

test('what was approved can be taken back for as long as it was not run', async () => {
  const [taken, used] = [await approved(), await approved()];
  await take(used);
  const mayTakeBack = new Map((await listed()).map((item) => [item.id, item.mayTakeBack]));
  expect([mayTakeBack.get(taken), mayTakeBack.get(used)]).toEqual([true, false]);
  expect(await decide(taken, 'DENIED')).toMatchObject({ state: 'DENIED', decidedBy: 'ben', mayTakeBack: false });

  await expect(take(taken)).rejects.toThrow('it was denied');
  await expect(decide(taken)).rejects.toThrow('not waiting any more');
  await expect(decide(used, 'DENIED')).rejects.toThrow('not waiting any more');
  expect(await codes()).toEqual(['GH394I', 'GH395I', 'GH394I', 'GH395I', 'GH398I', 'GH396I']);
});

test('nobody decides about what they asked for themselves, whatever they may', async () => {
  await gateway.setRoles('ann', ['asker', 'approver']);
  const { id, mayDecide } = await ask();

  expect(mayDecide).toBe(false);
  expect(await listed(ann)).toEqual([]);
  await expect(decide(id, 'APPROVED', ann)).rejects.toThrow('somebody else decides');
  await expect(decide(id, 'DENIED', ann)).rejects.toThrow('somebody else decides');
});

test('who may not decide, or does not see the database, finds nothing of it', async () => {
  const { id } = await ask();
  const [eve, zoe] = [await gateway.signedIn('eve'), await gateway.signedIn('zoe')];
  for (const who of [eve, zoe]) {
    await expect(listed(who)).rejects.toThrow('access denied');
    await expect(get(id, who)).rejects.toThrow('not found');
    await expect(decide(id, 'APPROVED', who)).rejects.toThrow('access denied');
    await expect(withdraw(id, who)).rejects.toThrow('not found');
  }
  await makeRole(admin, 'elsewhere', `{allow: {db_labels: {env: dev}, ${RULES}}}`);
  await gateway.setRoles('zoe', ['elsewhere']);
  await gateway.settled();
  expect(await listed(zoe)).toEqual([]);
  await expect(decide(id, 'APPROVED', zoe)).rejects.toThrow('not found');
  await makeRole(admin, 'reader', `{allow: {db_labels: {env: prod}, ${RULES.replace(', update', '')}}}`);
  await gateway.setRoles('zoe', ['reader']);
  await gateway.settled();
  expect(await listed(zoe)).toMatchObject([{ id, mayDecide: false }]);
  await expect(decide(id, 'APPROVED', zoe)).rejects.toThrow('access denied');
});

test('only who needs an approval can ask, for what they may connect to', async () => {
  await expect(ask({ name: 'far' })).rejects.toThrow('not found');
  await expect(ask({ dbUser: 'root' })).rejects.toThrow('access denied');
  await gateway.addUser('max', { roles: ['access'] });
  await gateway.setRoles('max', ['access'], { db_users: ['app'], db_names: ['shop'] });
  await expect(ask({ who: await gateway.signedIn('max') })).rejects.toThrow('no role of yours asks');
  await setRole('asker', ASKER.replace('db_approval: true', 'db_approval: true, db_read_only: true'));
  await expect(ask()).rejects.toThrow('only read');
  await setRole('asker', ASKER);
  await call(admin.send, databaseRoutes.update, { params: { ...CLUSTER, name: 'shop' }, body: { readOnly: true } });
  await expect(ask()).rejects.toThrow('only read');
});

test.each<[string, string, RegExp]>([
  ['nothing', ' -- only this', /no statement/],
  ['a transaction of its own', 'begin; update goods set a = 1; commit', /by itself/],
  ['what is not seen', 'select 1 /* \u202e */', /not seen/],
  ['a space that is a letter to the server', 'delete from goods where\u00a0archived', /not seen/],
  ['a comment in a comment', 'delete from goods /* all /* of them */ where id = 1 -- */', /inside of another/],
  ['an end of line that is not shown', '-- harmless\rdrop table goods', /not seen/],
  ['more than 64 KiB', `select '${'é'.repeat(40_000)}'`, /64 KiB/],
])('%s cannot be asked for', async (_, sql, why) => {
  await expect(ask({ sql })).rejects.toThrow(why);
});

test('it is good for the very person, database, user and name, and nowhere else', async () => {
  const id = await approved();
  await expect(take(id, { user: 'eve' })).rejects.toThrow('not found');
  await expect(take(id, { name: 'stock' })).rejects.toThrow("approved for 'shop'");
  await expect(take(id, { dbUser: 'owner' })).rejects.toThrow("as 'app'");
  await expect(take(id, { dbName: 'other' })).rejects.toThrow("in 'shop'");
  expect(await take(id)).toMatchObject({ by: 'ben' });
});

test('a text that differs in one byte from the one that was approved is not run', async () => {
  const id = await approved();
  await gateway.storage.db
    .updateTable('db_approval')
    .set({ sql: SQL.replace('2', '3') })
    .where('id', '=', id)
    .execute();

  await expect(take(id)).rejects.toThrow('not the one that was approved');
});

test('a record that leads elsewhere voids what was asked before, and what was approved', async () => {
  const id = await approved();
  const { id: waiting } = await ask();
  const params = { ...CLUSTER, name: 'shop' };
  await call(admin.send, databaseRoutes.update, { params, body: { uri: 'other.inside:5432' } });

  await expect(take(id)).rejects.toThrow('leads elsewhere');
  await expect(decide(waiting)).rejects.toThrow('leads elsewhere');
  await decide(waiting, 'DENIED');
});

test('roles are those of the moment: of who runs it, and of who approved it', async () => {
  const id = await approved();
  await gateway.setRoles('ben', []);
  await expect(take(id)).rejects.toThrow("'ben' may not approve this any more");
  await gateway.setRoles('ben', ['approver']);
  await expect(take(id, { roles: [] })).rejects.toThrow('not found');
  await setRole('asker', ASKER.replace('app, owner', 'owner'));
  await expect(take(id)).rejects.toThrow('access denied');
  await setRole('asker', ASKER);
  await lock({ user: 'ben' });
  await expect(take(id)).rejects.toThrow("'ben' may not approve this any more");
});

test('a lock on who asked, or on the database, lets nothing of it be run', async () => {
  const id = await approved();
  await lock({ database: 'shop' });
  await expect(take(id)).rejects.toThrow('access denied');
  const other = await approved({ name: 'stock' });
  await lock({ user: 'ann' });
  await expect(take(other, { name: 'stock' })).rejects.toThrow(/access denied|not found/);
});

test('whoever comes by a name later has nothing of who had it before', async () => {
  const id = await approved();
  gateway.clock.advance(1_000);
  const created = gateway.clock.now;
  await gateway.storage.db.updateTable('user').set({ created }).where('name', '=', 'ben').execute();
  await expect(take(id)).rejects.toThrow("'ben' may not approve");
  await gateway.storage.db.updateTable('user').set({ created }).where('name', '=', 'ann').execute();
  await expect(take(id)).rejects.toThrow('not found');
});

test('whoever comes by a name later reads nothing that was asked under it before', async () => {
  const { id } = await ask({ sql: "alter role app password 'very secret'" });
  gateway.clock.advance(1_000);
  const created = gateway.clock.now;
  await gateway.storage.db.updateTable('user').set({ created }).where('name', '=', 'ann').execute();

  await expect(get(id)).rejects.toThrow('not found');
  await expect(withdraw(id)).rejects.toThrow('not found');
  expect((await call(ann.send, dbApprovalRoutes.own, { params: CLUSTER })).items).toEqual([]);
});

test('whoever sees another database by the same name reads no passwords of what was asked before', async () => {
  const { id } = await ask({ sql: "alter role app password 'very secret'" });
  const params = { ...CLUSTER, name: 'shop' };
  await call(admin.send, databaseRoutes.remove, { params });
  await call(admin.send, databaseRoutes.add, {
    params: CLUSTER,
    body: {
      ...{ name: 'shop', protocol: 'postgres', uri: 'dev.inside:5432', signIn: 'certificate' },
      ...{ database: 'shop', labels: [{ name: 'env', value: 'dev' }] },
    },
  });
  await makeRole(admin, 'elsewhere', `{allow: {db_labels: {env: dev}, ${RULES}}}`);
  await gateway.setRoles('zoe', ['elsewhere']);
  await gateway.settled();
  const zoe = await gateway.signedIn('zoe');

  expect(JSON.stringify([await listed(zoe), await get(id, zoe)])).not.toContain('very secret');
  expect((await get(id)).sql).toContain('very secret');
});

test('nobody decides after a day, and nothing is run an hour after it was approved', async () => {
  const { id } = await ask();
  gateway.clock.advance(24 * HOUR_MS);
  const late = await gateway.signedIn('ben');
  await expect(decide(id, 'APPROVED', late)).rejects.toThrow('not waiting any more');
  const again = await ask({ who: await gateway.signedIn('ann') });
  await decide(again.id, 'APPROVED', late);
  gateway.clock.advance(HOUR_MS - 1);
  gateway.clock.advance(1);
  await expect(take(again.id)).rejects.toThrow('run out');
  const states = (await call((await gateway.signedIn('ann')).send, dbApprovalRoutes.own, { params: CLUSTER })).items;
  expect(states.map(({ state }) => state)).toEqual(['EXPIRED', 'EXPIRED'] satisfies ApprovalState[]);
});

test('decided once; what was taken back or denied is not run', async () => {
  const [one, two, three] = [(await ask()).id, (await ask()).id, await approved()];
  await decide(one, 'DENIED');
  await expect(decide(one)).rejects.toThrow('not waiting any more');
  await withdraw(two);
  await expect(decide(two)).rejects.toThrow('not waiting any more');
  await withdraw(three);
  for (const [id, why] of [
    [one, 'was denied'],
    [two, 'taken back'],
    [three, 'taken back'],
  ] as const)
    await expect(take(id)).rejects.toThrow(why);
});

test('somebody has twenty open at most', async () => {
  for (let count = 0; count < 20; count += 1) await ask();
  await expect(ask()).rejects.toThrow('20 of yours are open');
  await ask({ who: await gateway.signedIn('eve') });
});

test('passwords are told to whoever approves, and to nobody else', async () => {
  const sql = "alter role app password 'very secret'";
  const id = await approved({ sql });
  expect((await get(id, ben)).sql).toBe(sql);
  expect((await take(id)).sql).toBe(sql);

  expect((await get(id, ben)).sql).toBe("alter role app password '***'");
  expect(JSON.stringify(await gateway.events())).not.toContain('very secret');
  const rows = await gateway.storage.db.selectFrom('db_approval').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('very secret');
});

test('what ran out keeps no password, also where nobody looks at it any more', async () => {
  await ask({ sql: "alter role app password 'very secret'" });
  gateway.clock.advance(24 * HOUR_MS);
  await gateway.dbDoors.approvals.tidy();

  const rows = await gateway.storage.db.selectFrom('db_approval').selectAll().execute();
  expect(rows.map(({ state, sha256 }) => [state, sha256])).toEqual([['EXPIRED', '']]);
  expect(JSON.stringify(rows)).not.toContain('very secret');
  gateway.clock.advance(400 * 24 * HOUR_MS);
  await gateway.dbDoors.approvals.tidy();
  expect(await gateway.storage.db.selectFrom('db_approval').selectAll().execute()).toEqual([]);
});

test('what it is for says nothing that is not seen, or turned round', async () => {
  const params = { ...CLUSTER, name: 'shop' };
  const body = { dbUser: 'app', sql: SQL, reason: 'ticket \u202e4711' };
  await expect(call(ann.send, dbApprovalRoutes.ask, { params, body })).rejects.toThrow('control characters');
  expect((await call(ann.send, dbApprovalRoutes.ask, { params, body: { ...body, reason: 'one\n\ttwo' } })).state).toBe(
    'PENDING',
  );
});

test('whoever has a second factor approves with it, and denies without', async () => {
  const secret = await enrolApp(gateway, ben);
  const [one, two] = [(await ask()).id, (await ask()).id];
  gateway.clock.advance(6 * 60_000);
  await expect(decide(one)).rejects.toMatchObject({ code: 'mfa_required' });
  await decide(two, 'DENIED');
  expect((await get(one)).state).toBe('PENDING');
  const body = { secondFactorToken: codeOf(secret, gateway.clock.now) };
  await call(ben.send, passwordRoutes.createPrivilegeToken, { body });

  expect((await decide(one)).state).toBe('APPROVED');
});
