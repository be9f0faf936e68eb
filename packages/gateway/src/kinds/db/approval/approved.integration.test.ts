/** What writes waits for an approval, and is run once: with a real PostgreSQL behind the gateway. */
import { dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { type ApprovalWorld, startApprovalWorld } from '../../../../testing/db/approval-world.ts';
import { CLUSTER } from '../../../../testing/db/db-world.ts';
import type { EditorPage } from '../../../../testing/db/editor-page.ts';
import { editorPages } from '../../../../testing/db/editor-pages.ts';
import { asOwner } from '../../../../testing/db/made-world.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { codeOf, enrolApp } from '../../../../testing/identity-gateway.ts';

let postgres: SecurePostgres;
let world: ApprovalWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  await asOwner(postgres.url, 'drop table if exists goods', 'create table goods (id int primary key, price int)');
  await asOwner(postgres.url, 'insert into goods select i, 10 from generate_series(1, 5) i');
  const { port, ca, database } = postgres;
  const users = { dbNames: [database], dbUsers: ['by_scram', 'by_md5'], password: PASSWORD };
  const db = { protocol: 'postgres', port, ca, database, ...users } as const;
  world = await startApprovalWorld(db, { secondFactor: 'optional' });
});
afterEach(async () => {
  await closePages();
  await world.close();
});

const { opened, ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann }));

const prices = async () =>
  (await asOwner<{ price: number }>(postgres.url, 'select price from goods order by id')).map(({ price }) => price);
const refused = (page: EditorPage, id: number) =>
  page.next('done', id).then(
    () => 'run',
    (error: Error) => JSON.parse(error.message) as { code: string; message: string },
  );
const runApproved = (page: EditorPage, approval: string) => page.send({ type: 'runApproved', tab: 0, approval });

test('what writes is refused, asked for, waits for an approval, and runs once', async () => {
  const sql = 'update goods set price = 20 where id = 1';
  const page = await ready();
  expect(page.heard.at(-1)).toMatchObject({ type: 'ready', readOnly: true, asks: true });
  expect(await refused(page, page.send({ type: 'run', tab: 0, sql }))).toMatchObject({ code: 'read_only' });
  expect((await page.run('select count(*) from goods')).rows).toEqual([['5']]);

  const heldBack = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB02W');
  await expect.poll(async () => (await heldBack()).map(({ data }) => data.db_query)).toEqual([sql]);
  expect((await heldBack())[0]?.data).toMatchObject({
    user: 'ann',
    success: false,
    error: expect.stringContaining('only reading is allowed'),
  });

  const approval = await world.asked(sql);
  expect(await refused(page, runApproved(page, approval))).toMatchObject({ message: 'nobody has approved it yet' });
  expect(await prices()).toEqual([10, 10, 10, 10, 10]);
  const params = { ...CLUSTER, approval };
  await call(world.ben.send, dbApprovalRoutes.decide, { params, body: { state: 'APPROVED' } });
  expect(await page.next('done', runApproved(page, approval))).toMatchObject({ rows: 1, tag: 'UPDATE 1', left: 0 });
  expect(await prices()).toEqual([20, 10, 10, 10, 10]);

  await asOwner(postgres.url, 'update goods set price = 30 where id = 1');
  expect(await refused(page, runApproved(page, approval))).toMatchObject({
    message: expect.stringContaining('already'),
  });
  expect(await refused(page, page.send({ type: 'run', tab: 0, sql }))).toMatchObject({ code: 'read_only' });
  expect(await prices()).toEqual([30, 10, 10, 10, 10]);
  const told = async () => (await world.gateway.events()).filter(({ data }) => JSON.stringify(data).includes(approval));
  await expect
    .poll(async () => (await told()).map(({ code }) => code))
    .toEqual(expect.arrayContaining(['GH394I', 'GH395I', 'GH398I', 'TPG00I']));
  expect((await told()).find(({ code }) => code === 'TPG00I')?.data).toMatchObject({
    user: 'ann',
    query: sql,
    statement: { door: 'web', approval, approved_by: 'ben' },
  });
});

test('several statements are one transaction: all of them, or none', async () => {
  const page = await ready();
  const good = await world.approved('update goods set price = 1 where id = 1; update goods set price = 2 where id = 2');
  const bad = await world.approved('update goods set price = 7; insert into goods values (1, 1)');
  const id = runApproved(page, good);
  await page.settled(() => page.heard.some((reply) => reply.type === 'done' && reply.id === id && reply.left === 0));
  expect(await page.next('failed', runApproved(page, bad))).toMatchObject({
    code: '23505',
    statement: 1,
    hint: expect.stringContaining('rolled back'),
  });

  const rolledBack = async () =>
    (await world.gateway.events()).filter(
      ({ data }) => JSON.stringify(data).includes('ROLLBACK') && JSON.stringify(data).includes(bad),
    );
  await expect.poll(async () => (await rolledBack()).length).toBeGreaterThan(0);
  expect(await prices()).toEqual([1, 2, 10, 10, 10]);
});

test('a cancel is heard from the moment that it was asked to run', async () => {
  const approval = await world.approved('insert into goods select 6, 60 from pg_sleep(600)');
  const page = await ready();
  const id = runApproved(page, approval);
  page.send({ type: 'cancel', id });

  expect(await page.next('failed', id)).toMatchObject({ code: 'cancelled' });
  expect(await prices()).toEqual([10, 10, 10, 10, 10]);
});

test('two pages run it at the same time: it runs once', async () => {
  const approval = await world.approved('update goods set price = price + 1 where id = 1');
  const pages = await Promise.all([ready(), ready()]);
  const all = await Promise.all(pages.map((page) => refused(page, runApproved(page, approval))));

  expect(all.filter((outcome) => outcome === 'run')).toHaveLength(1);
  expect(await prices()).toEqual([11, 10, 10, 10, 10]);
});

test('what was set in the tab before changes nothing of what was approved', async () => {
  const page = await ready();
  await page.run("select set_config('search_path', 'pg_catalog', false)");
  const approval = await world.approved('update goods set price = 3 where id = 1 returning price');
  const done = page.next('done', runApproved(page, approval));

  expect(await done).toMatchObject({ tag: 'UPDATE 1', transaction: 'none' });
  expect(await prices()).toEqual([3, 10, 10, 10, 10]);
});

test('all of it runs, however many rows are shown', async () => {
  const page = await ready();
  const writes = `create function raise(int) returns int language sql as 'update goods set price = price + 1 where id = 1 returning price'`;
  await asOwner(postgres.url, 'drop function if exists raise', writes);
  const approval = await world.approved('select raise(i) from generate_series(1, 1500) i');
  expect(await page.next('done', runApproved(page, approval))).toMatchObject({ rows: 1_000, more: false });

  expect(await prices()).toEqual([1_510, 10, 10, 10, 10]);
});

test('as another user of the database it is not run, and a record that was made read-only lets nothing through', async () => {
  const approval = await world.approved('update goods set price = 4');
  const other = await ready({ dbUser: 'by_md5' });
  expect(await refused(other, runApproved(other, approval))).toMatchObject({
    message: expect.stringContaining('by_scram'),
  });
  expect(await prices()).toEqual([10, 10, 10, 10, 10]);
});

test('what can write in other ways is refused as well: tries, edits of rows, measuring', async () => {
  const page = await ready();
  const dry = page.send({ type: 'dryRun', tab: 0, sql: 'delete from goods' });
  await expect(page.next('tried', dry)).rejects.toThrow(/read_only/);
  const changes = [{ what: 'insert' as const, values: { id: '9' } }];
  const edit = page.send({ type: 'edit', tab: 0, schema: 'public', table: 'goods', changes });
  await expect(page.next('edited', edit)).rejects.toThrow(/read_only/);
  const measured = page.send({ type: 'explain', tab: 0, sql: 'delete from goods', analyze: true });
  await expect(page.next('done', measured)).rejects.toThrow(/read_only/);
  const file = page.send({ type: 'export', tab: 0, sql: 'delete from goods returning id', format: 'csv' });
  await expect(page.next('done', file)).rejects.toThrow(/read_only/);
  expect((await page.run('show transaction_read_only')).rows).toEqual([['on']]);
  expect(await prices()).toHaveLength(5);
});

test('a role that comes to be while a second factor is asked for counts before anything runs', async () => {
  const secret = await enrolApp(world.gateway, world.ann);
  await makeRole(world.admin, 'waits', '{options: {db_approval: true}, allow: {}}');
  await makeRole(
    world.admin,
    'proves',
    `{options: {require_session_mfa: true}, allow: {db_labels: {env: dev}, db_users: [by_scram], db_names: [${postgres.database}]}}`,
  );
  await world.gateway.setRoles('ann', ['proves']);
  await world.gateway.settled();
  const page = opened();
  await page.next('factor');
  await world.gateway.setRoles('ann', ['proves', 'waits']);
  await world.gateway.settled();
  world.gateway.clock.advance(60_000);
  page.send({ type: 'factor', code: codeOf(secret, world.gateway.clock.now) });

  expect(await page.next('ready')).toMatchObject({ readOnly: true, asks: true });
  const sql = 'set session characteristics as transaction read write';
  expect(await refused(page, page.send({ type: 'run', tab: 0, sql }))).toMatchObject({ code: 'read_only' });
});

test('other doors are closed, and say where it can be done', async () => {
  const { port, failures } = await world.tunnel();
  const client = new Client({ host: '127.0.0.1', port, user: 'by_scram', database: postgres.database });
  await expect(client.connect()).rejects.toThrow();

  expect(failures.map(({ message }) => message).join(' ')).toContain('use the workbench');
  const denied = (await world.gateway.events()).find(({ code }) => code === 'GH301W');
  expect(denied?.data).toMatchObject({
    user: 'ann',
    resource_name: 'shop',
    reason: expect.stringContaining('approval'),
  });
});
