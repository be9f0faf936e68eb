/** The workbench through its socket, with a stub of SQL Server behind the gateway, as no real one can be had. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../../../testing/db/db-world.ts';
import { editorPages } from '../../../../../testing/db/editor-pages.ts';
import { type StubSqlserver, startStubSqlserver } from '../../../../../testing/db/stub-sqlserver.ts';
import { KINDS } from '../../../../../testing/db/tds-answers.ts';
import { TYPE } from '../../engine/sqlserver/packets.ts';

const PASSWORD = 'a secret of the shop';
let sqlserver: StubSqlserver;
let world: DbWorld;
beforeAll(async () => {
  sqlserver = await startStubSqlserver({ app: PASSWORD });
  world = await startDbWorldOf({
    ...{ protocol: 'sqlserver', port: sqlserver.port, ca: sqlserver.ca, database: 'shop', dbNames: ['shop', 'stock'] },
    ...{ dbUsers: ['app'], password: PASSWORD },
  });
});
afterAll(async () => {
  await world?.close();
  await sqlserver?.stop();
});
afterEach(async () => {
  await closePages();
  await expect.poll(sqlserver.connections).toBe(0);
  sqlserver.came.length = 0;
});

const { ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann, dbUser: 'app' }));

const change = (body: object) =>
  call(world.admin.send, databaseRoutes.update, { params: { ...CLUSTER, name: 'shop' }, body });

const ran = () => sqlserver.came.map(({ text }) => text);

test('values come as its own programs write them, and each statement is told to the log', async () => {
  const page = await ready();
  const { rows, all, done } = await page.run('select kinds; select who, at_what');

  expect(rows).toEqual([KINDS.map(({ shown }) => shown), ['app'], ['shop']]);
  const [columns] = all.filter(({ type }) => type === 'columns');
  expect(columns).toMatchObject({
    names: KINDS.map(({ name }) => name),
    types: KINDS.map(({ typeName }) => typeName),
  });
  expect(done).toMatchObject({ statement: 1, left: 0, rows: 2, tag: 'SELECT 2', more: false, transaction: 'none' });
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB02I');
  await expect
    .poll(async () => (await told()).map(({ data }) => data))
    .toContainEqual(
      expect.objectContaining({
        ...{ user: 'ann', db_protocol: 'sqlserver', db_query: 'select who, at_what' },
        statement: expect.objectContaining({ door: 'web', rows: 2 }),
      }),
    );
});

test('what belongs together is one batch, lines of GO end it, and what is printed is shown', async () => {
  const page = await ready();
  const { all } = await page.run(
    "print 'x'\nGO\ndeclare @a int = 1; select several;\n go 2 \nuse stock; select where_now",
  );

  expect(ran()).toEqual(["print 'x'", 'declare @a int = 1; select several;', 'use stock', 'select where_now']);
  expect(all).toContainEqual(expect.objectContaining({ type: 'notice', severity: 'INFO', message: 'printed' }));
  expect(all).toContainEqual(
    expect.objectContaining({ type: 'notice', message: expect.stringContaining('it gave 2 results') }),
  );
  expect(all.filter(({ type }) => type === 'notice')).toHaveLength(2);
});

test('an error says in which line it is, and what no role gives is refused in the words of the engine', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: "select 1;\nselect 2\nraiserror ('no', 16, 1)" });
  const failed = await page.next('failed', id);

  expect(failed).toMatchObject({ statement: 1, code: '50000', message: 'as you wished' });
  expect(failed.position).toBe('select 1;\nselect 2\n'.length);
  expect(await page.refusal('use private')).toBe('916');
  expect(await page.refusal('select still_there')).toBe('run');
});

test('a result stops at its limit and goes on, and what is let go of is stopped at the server', async () => {
  const page = await ready();
  const { id, done, rows } = await page.run('select many 200000', { maxRows: 1_000 });
  expect(done).toMatchObject({ rows: 1_000, more: true });
  expect(rows.at(-1)).toEqual(['row 999 of many']);
  const from = page.heard.length;
  page.send({ type: 'more', id, maxRows: 3_999 });
  expect(await page.next('done', id, from)).toMatchObject({ rows: 3_999, more: true });
  const { rows: after } = await page.run('select other');

  expect(after).toEqual([['app'], ['shop']]);
  expect(sqlserver.came.map(({ type }) => type)).toEqual([TYPE.batch, TYPE.attention, TYPE.batch]);
});

test('what runs is cancelled at the server, and the tab goes on', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: "waitfor delay '01:00'" });
  await expect.poll(() => ran().some((text) => text.includes('waitfor'))).toBe(true);
  page.send({ type: 'cancel', id });

  expect(await page.next('failed', id)).toMatchObject({ code: 'cancelled' });
  expect(sqlserver.came.at(-1)).toMatchObject({ type: TYPE.attention });
  expect((await page.run('select who')).rows).toEqual([['app'], ['shop']]);
});

test('with the session the work ends: it is cancelled at the server', async () => {
  const page = await ready();
  page.send({ type: 'run', tab: 0, sql: "waitfor delay '01:00'" });
  await expect.poll(() => ran().some((text) => text.includes('waitfor'))).toBe(true);
  await page.close();

  await expect.poll(() => sqlserver.came.at(-1)).toMatchObject({ type: TYPE.attention });
});

test('a page that takes nothing holds the rows back', async () => {
  const page = await ready({ isLazy: true });
  const id = page.send({ type: 'run', tab: 0, sql: 'select many 100000', maxRows: 100_000 });
  const taken = () => page.heard.flatMap((reply) => (reply.type === 'rows' && reply.id === id ? [reply] : []));
  await expect.poll(() => taken().length).toBeGreaterThan(5);
  // What was on its way when another tab is answered has come.
  for (let before = -1; taken().length !== before; await page.run('select 1', { tab: 1 })) before = taken().length;

  expect(taken().reduce((sum, reply) => sum + JSON.stringify(reply).length, 0)).toBeLessThan(2 * 1024 * 1024);
  const acking = setInterval(() => page.send({ type: 'ack', id, seq: taken().at(-1)?.seq ?? 0 }), 2);
  const done = await page.next('done', id);
  clearInterval(acking);
  expect(done.rows).toBe(100_000);
  expect(
    taken()
      .flatMap(({ rows }) => rows)
      .at(-1),
  ).toEqual(['row 99999 of many']);
});

test('the tree has schemas, tables and views, columns, keys and indexes, and names for completion', async () => {
  const page = await ready();
  const level = async (...path: string[]) => {
    const id = page.send({ type: 'tree', path });
    return (await page.next('nodes', id)).nodes.map(({ name, kind, isKey, rows }) => ({ name, kind, isKey, rows }));
  };

  expect(await level()).toMatchObject([{ name: 'dbo', kind: 'schema' }, { name: 'sales' }]);
  expect(await level('dbo')).toMatchObject([{ name: 'Tables', kind: 'group' }, { name: 'Views' }, {}, {}]);
  expect(await level('dbo', 'Tables')).toMatchObject([{ name: 'orders', kind: 'table', rows: 12 }]);
  expect(await level('dbo', 'Views')).toMatchObject([{ name: 'open_orders', kind: 'view' }]);
  expect(await level('dbo', 'Tables', 'orders')).toMatchObject([
    ...[
      { name: 'id', isKey: true },
      { name: 'note', isKey: false },
    ],
    ...[{ name: 'Keys' }, { name: 'Indexes' }, { name: 'Triggers' }],
  ]);
  expect(await level('dbo', 'Tables', "it's", 'Keys')).toMatchObject([{ name: 'pk_orders', kind: 'key' }]);
  expect(ran().at(-1)).toContain("o.name = N'it''s'");
  const id = page.send({ type: 'names' });
  expect(await page.next('names', id)).toMatchObject({
    tables: [{ schema: 'dbo', table: 'orders', columns: ['id', 'note'] }],
  });
});

test('a dry run counts what is touched, and takes it back or keeps it', async () => {
  const page = await ready();
  const dry = async (commit: boolean) => {
    const id = page.send({ type: 'dryRun', tab: 0, sql: 'update orders set note = 1' });
    expect(await page.next('tried', id)).toMatchObject({ rows: 3, tag: 'UPDATE 3' });
    page.send({ type: 'settle', id, commit });
    return await page.next('settled', id);
  };

  expect(await dry(false)).toMatchObject({ committed: false });
  expect(await dry(true)).toMatchObject({ committed: true });
  expect(ran()).toEqual([
    ...['BEGIN TRANSACTION', 'update orders set note = 1', 'ROLLBACK'],
    ...['BEGIN TRANSACTION', 'update orders set note = 1', 'COMMIT'],
  ]);
  const id = page.send({ type: 'dryRun', tab: 0, sql: 'exec do_it' });
  expect(await page.next('failed', id)).toMatchObject({ code: 'bad_request' });
  expect((await page.run('begin tran')).done).toMatchObject({ transaction: 'open' });
  expect((await page.run('select within')).done).toMatchObject({ transaction: 'open' });
  expect((await page.run('rollback')).done).toMatchObject({ transaction: 'none' });
});

test('where only reading is allowed nothing else gets to the server, and what reads is rolled back', async () => {
  await change({ readOnly: true });
  const page = await ready();
  for (const sql of [
    'insert into t values (1)',
    'select 1 drop table t',
    'set nocount on',
    'exec p',
    'select 1 into t',
  ])
    expect(await page.refusal(sql), sql).toBe('read_only');
  expect((await page.run('select who')).rows).toEqual([['app'], ['shop']]);
  expect(ran()).toEqual(['BEGIN TRANSACTION', 'select who', 'ROLLBACK']);
  await change({ readOnly: false });
});

test('a whole result is a file, and statements are kept without passwords', async () => {
  const page = await ready();
  const id = page.send({ type: 'export', tab: 0, sql: 'select many 3', format: 'csv' });
  await page.next('done', id);
  const file = page.heard.flatMap((reply) => (reply.type === 'piece' ? [reply.text] : [])).join('');
  expect(file).toContain('row 2 of many');
  await page.run("alter login [o'neil] with password = N'hush-hush'");
  const asked = page.send({ type: 'history' });
  const { statements } = await page.next('statements', asked);
  expect(statements[0]?.sql).toBe("alter login [o'neil] with password = N'***'");
});

test('a plan is asked for while the server does nothing, and is never asked for where it would', async () => {
  const page = await ready();
  const id = page.send({ type: 'explain', tab: 0, sql: 'delete from orders', analyze: false });
  const { format, text } = await page.next('plan', id);
  await page.next('done', id);

  expect(format).toBe('json');
  expect(JSON.parse(text)).toMatchObject([{ Plan: { 'Node Type': 'Clustered Index Delete (Delete)' } }]);
  expect(ran()).toEqual(['SET SHOWPLAN_ALL ON', 'delete from orders', 'SET SHOWPLAN_ALL OFF']);
  const measured = page.send({ type: 'explain', tab: 0, sql: 'delete from orders', analyze: true });
  expect(await page.next('failed', measured)).toMatchObject({ message: 'plans are not measured with SQL Server' });
  expect(ran()).toHaveLength(3);
});

const ORDERS = { schema: 'dbo', table: 'orders' };

test('rows of one table can be edited, each while it is as it was shown, and all of it in one transaction', async () => {
  const page = await ready();
  const { id, rows } = await page.run('select id, note from orders');
  expect(rows).toEqual([
    ['1', 'first'],
    ['2', null],
  ]);
  expect(await page.next('source', id)).toMatchObject({ ...ORDERS, columns: ['id', 'note'], key: ['id'] });

  const update = { what: 'update' as const, key: { id: '1' }, old: { note: 'first' }, values: { note: "it's" } };
  const changes = [
    update,
    { what: 'delete' as const, key: { id: '2' }, old: { note: null } },
    { what: 'insert' as const, values: { id: '3', note: null } },
  ];
  sqlserver.came.length = 0;
  expect(await page.next('edited', page.send({ type: 'edit', tab: 0, ...ORDERS, changes }))).toMatchObject({ rows: 3 });

  const isAs = (text: string) =>
    `CONVERT(varbinary(max), CONVERT(nvarchar(max), [note])) = CONVERT(varbinary(max), CONVERT(nvarchar(max), N'${text}'))`;
  const found = (key: number) => `[id] = CONVERT(int, N'${key}') AND [id] = CONVERT(int, N'${key}')`;
  expect(ran().filter((text) => !text.includes('sys.'))).toEqual([
    'BEGIN TRANSACTION',
    `UPDATE [dbo].[orders] SET [note] = N'it''s' WHERE ${found(1)} AND ${isAs('first')}`,
    `DELETE FROM [dbo].[orders] WHERE ${found(2)} AND [note] IS NULL`,
    `INSERT INTO [dbo].[orders] ([id], [note]) VALUES (CONVERT(int, N'3'), NULL)`,
    'COMMIT',
  ]);
  const gone = { ...update, key: { id: '10' } };
  const refused = page.send({ type: 'edit', tab: 0, ...ORDERS, changes: [update, gone] });
  await expect(page.next('edited', refused)).rejects.toThrow(/"conflict".*"change":1/s);
  expect(ran().at(-1)).toBe('ROLLBACK');
});

test('rows of no table, of a table that is joined with itself and of another database are not edited', async () => {
  const page = await ready();
  await page.run('select a.id, b.note from orders a join orders b');
  await page.run('select who, at_what');
  await page.run('use stock');
  await page.run('select id, note from orders');
  await page.run('select who, at_what');
  expect(page.heard.filter(({ type }) => type === 'source')).toEqual([]);

  const changes = [{ what: 'update' as const, key: { id: '1' }, old: {}, values: { note: 'x' } }];
  const refused = page.send({ type: 'edit', tab: 0, ...ORDERS, changes });
  await expect(page.next('edited', refused)).rejects.toThrow(/"conflict".*another database/s);
  expect(ran().filter((text) => text.startsWith('UPDATE'))).toEqual([]);
});
