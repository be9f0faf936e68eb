/** The workbench through its socket, with a real MariaDB behind the gateway. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../../../testing/db/db-world.ts';
import { editorPages } from '../../../../../testing/db/editor-pages.ts';
import { longResultsSuite } from '../../../../../testing/db/long-results-suite.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../../../testing/db/secure-mariadb.ts';

let mariadb: SecureMariadb;
let world: DbWorld;
beforeAll(async () => {
  mariadb = await startSecureMariadb();
});
afterAll(() => mariadb?.stop());
beforeEach(async () => {
  world = await startDbWorldOf({
    ...{ protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', dbNames: ['shop'] },
    ...{ dbUsers: ['by_native', 'by_ed25519'], password: PASSWORD },
  });
});
afterEach(async () => {
  await closePages();
  await world.close();
});

const { ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann, dbUser: 'by_native' }));

test('values come exactly as the server writes them, and each statement is told to the log', async () => {
  const page = await ready();
  await page.run(`create table kinds (a bigint unsigned primary key, b decimal(30,10), c datetime(6), d varbinary(4), e varchar(9),
    f float, g bit(5), h text, i date); insert into kinds values (18446744073709551615, -12345678901234567890.5, '2026-02-03 04:05:06.000007',
    x'00ff', 'é', 1.1, b'10101', null, '0000-00-00')`);
  const { rows, all, done } = await page.run("select * from kinds; select 'two;' # three\n as d");

  expect(rows).toEqual([
    [
      '18446744073709551615',
      '-12345678901234567890.5000000000',
      '2026-02-03 04:05:06.000007',
      '0x00ff',
      'é',
      '1.1',
      '0x15',
      null,
      '0000-00-00',
    ],
    ['two;'],
  ]);
  const [columns] = all.filter(({ type }) => type === 'columns');
  const types = ['bigint unsigned', 'decimal(30,10)', 'datetime', 'varbinary(4)', 'varchar(9)', 'float', 'bit', 'text'];
  expect(columns).toMatchObject({ names: [...'abcdefghi'], types: [...types, 'date'] });
  expect(done).toMatchObject({ statement: 1, left: 0, rows: 1, tag: 'SELECT 1', more: false, transaction: 'none' });
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB02I');
  await expect
    .poll(async () => (await told()).map(({ data }) => data))
    .toContainEqual(
      expect.objectContaining({
        user: 'ann',
        db_query: 'select * from kinds',
        statement: expect.objectContaining({ door: 'web' }),
      }),
    );
  await page.run('drop table kinds');
});

test('an error says where it is, and what the server warns of is shown', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: "select '😀';\nselect 1 form shop" });
  const failed = await page.next('failed', id);
  expect(failed).toMatchObject({ statement: 1, code: '1064', transaction: 'none' });
  expect(failed.position).toBe("select '😀';\nselect 1 form ".length);
  const { all } = await page.run("select cast('5x' as signed)");
  expect(all).toContainEqual(expect.objectContaining({ type: 'notice', severity: 'WARNING' }));
});

longResultsSuite({
  ready,
  long: "select seq, repeat('x', 100) from seq_1_to_100000",
  short: 'select seq from seq_1_to_25',
});

test('a result that ends where it was told to has no more', async () => {
  const page = await ready();
  const exact = await page.run('select seq from seq_1_to_10', { maxRows: 10 });
  expect(exact.done).toMatchObject({ rows: 10, more: false });
});

test('the rest of a giant result is let go of, and the tab keeps its transaction', async () => {
  const page = await ready();
  await page.run('create table held (a int); start transaction; insert into held values (1)');
  const wide = "select seq, repeat('x', 1000) from seq_1_to_1000000";
  expect((await page.run(wide, { maxRows: 10 })).done).toMatchObject({ more: true, transaction: 'open' });
  for (let count = 0; count < 5; count += 1) {
    expect((await page.run('select count(*) from held')).rows).toEqual([['1']]);
    await page.run(wide, { maxRows: 1 });
  }
  await page.run('rollback');
  expect((await page.run('select count(*) from held')).rows).toEqual([['0']]);
  await page.run('drop table held');
});

test('a long value is cut and marked, and those behind it are not; one of several packets too', async () => {
  const page = await ready();
  const { rows, all } = await page.run("select repeat('é', 100000), 'after'");
  expect(rows[0]?.[0]).toHaveLength(32 * 1024);
  expect(rows[0]?.[1]).toBe('after');
  expect(all).toContainEqual(expect.objectContaining({ cut: [{ row: 0, column: 0, bytes: 200_000 }] }));
  const giant = await page.run("select repeat('x', 40000000), 'after'");
  expect(giant.rows[0]?.[1]).toBe('after');
  expect(giant.all).toContainEqual(expect.objectContaining({ cut: [{ row: 0, column: 0, bytes: 40_000_000 }] }));
});

test('what runs is cancelled at the server, and what runs in another tab is not', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: 'select benchmark(1000000000000, 1)' });
  const other = await page.run('select 2', { tab: 1 });
  expect(other.rows).toEqual([['2']]);
  const isRunning = "select count(*) from information_schema.processlist where info like 'select benchmark%'";
  const isJoined = "select count(*) from information_schema.processlist where info like '%seq_1_to_1000000 a%b'";
  await expect.poll(async () => (await page.run(isRunning, { tab: 1 })).rows).toEqual([['1']]);
  page.send({ type: 'cancel', id });

  await expect(page.next('done', id)).rejects.toThrow(/cancelled/);
  expect((await page.run('select 3')).rows).toEqual([['3']]);
  const joined = page.send({ type: 'run', tab: 0, sql: 'select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b' });
  await expect.poll(async () => (await page.run(isJoined, { tab: 1 })).rows).toEqual([['1']]);
  page.send({ type: 'cancel', id: joined });
  await expect(page.next('done', joined)).rejects.toThrow(/cancelled/);
  expect((await page.run(isRunning, { tab: 1 })).rows).toEqual([['0']]);
});

test('a cancel that comes too late ends nothing of what is run next', async () => {
  const page = await ready();
  for (let count = 0; count < 10; count += 1) {
    const id = page.send({ type: 'run', tab: 0, sql: 'select 1' });
    page.send({ type: 'cancel', id });
    expect((await page.run('select seq from seq_1_to_3')).rows).toHaveLength(3);
  }
});

test('a dry run shows how many rows it touches, and is taken back or kept', async () => {
  const page = await ready();
  await page.run('create table dry (a int primary key); insert into dry select seq from seq_1_to_9');
  for (const [commit, left] of [
    [false, '9'],
    [true, '4'],
  ] as const) {
    const id = page.send({ type: 'dryRun', tab: 0, sql: 'delete from dry where a > 4' });
    expect(await page.next('tried', id)).toMatchObject({ rows: 5, tag: 'DELETE 5' });
    page.send({ type: 'settle', id, commit });
    expect(await page.next('settled', id)).toMatchObject({ committed: commit, why: 'asked' });
    expect((await page.run('select count(*) from dry')).rows).toEqual([[left]]);
  }
  await page.run('drop table dry');
});

test('what could not be taken back is not tried', async () => {
  const page = await ready();
  await page.run(`create table plain (a int) engine=myisam; create table tracked (a int);
    create trigger writes after insert on tracked for each row begin insert into plain values (new.a); end`);
  for (const sql of [
    'commit',
    '/*! drop table tracked */',
    'truncate tracked',
    'alter table tracked add b int',
    'insert into `plain` values (1)',
    'insert into tracked values (1)',
  ]) {
    const id = page.send({ type: 'dryRun', tab: 0, sql });
    await expect([sql, page.next('tried', id)][1]).rejects.toThrow(/taken back/);
  }
  const id = page.send({ type: 'explain', tab: 0, sql: 'delete from plain', analyze: true });
  await expect(page.next('plan', id)).rejects.toThrow(/taken back/);
  expect((await page.run('select (select count(*) from plain) + (select count(*) from tracked)')).rows).toEqual([
    ['0'],
  ]);
  await page.run('drop table tracked; drop table plain');
});

test('rows of one table with a key are edited together, each only as it was shown', async () => {
  const page = await ready();
  await page.run(
    "create table `Ed it` (id bigint primary key, note varchar(20), raw varbinary(4), f float); insert into `Ed it` values (9007199254740993, 'Abc', x'00', 1.1), (2, null, null, null), (9007199254740992, 'Abc', x'00', 1.1)",
  );
  const { id: shown } = await page.run('select id, note, raw, f from `Ed it`');
  const source = await page.next('source', shown);
  expect(source).toMatchObject({ schema: 'shop', table: 'Ed it', columns: ['id', 'note', 'raw', 'f'], key: ['id'] });
  const table = { schema: 'shop', table: 'Ed it' };
  const key = { id: '9007199254740993' };
  const old = { note: 'Abc', raw: '0x00', f: '1.1' };
  const update = { what: 'update' as const, key, old, values: { note: "it's \\ '; drop", raw: '0xff00' } };
  for (const stale of [
    { what: 'update' as const, key: { id: '2' }, old: { note: 'x' }, values: { note: 'y' } },
    { what: 'update' as const, key, old: { note: 'abc' }, values: { note: 'y' } },
  ]) {
    const refused = page.send({ type: 'edit', tab: 0, ...table, changes: [{ ...update, values: { f: '2' } }, stale] });
    await expect(page.next('edited', refused)).rejects.toThrow(/"conflict".*"change":1/s);
  }
  const changes = [
    update,
    { what: 'delete' as const, key: { id: '2' }, old: { note: null } },
    { what: 'insert' as const, values: { id: '3' } },
  ];
  const made = page.send({ type: 'edit', tab: 0, ...table, changes });
  expect(await page.next('edited', made)).toMatchObject({ rows: 3 });
  expect((await page.run('select * from `Ed it` order by id')).rows).toEqual([
    ['3', null, null, null],
    ['9007199254740992', 'Abc', '0x00', '1.1'],
    ['9007199254740993', "it's \\ '; drop", '0xff00', '1.1'],
  ]);
  const { id: twice } = await page.run('select a.id, b.note from `Ed it` a join `Ed it` b');
  await page.run('select 1');
  expect(page.heard.some((reply) => reply.type === 'source' && reply.id === twice)).toBe(false);
  await page.run('drop table `Ed it`');
});

test('the tree is told level by level, as the user sees it', async () => {
  const page = await ready();
  await page.run(`create table leaf (id int primary key, name varchar(9)); create index by_name on leaf (name);
    create procedure two() begin select 1; select 2; end; create view seen as select * from leaf`);
  const level = async (...path: string[]) => (await page.next('nodes', page.send({ type: 'tree', path }))).nodes;
  expect((await level()).map(({ name }) => name)).toContain('shop');
  expect((await level('shop', 'Tables')).map(({ name }) => name)).toEqual(['leaf']);
  expect((await level('shop', 'Views')).map(({ name }) => name)).toEqual(['seen']);
  expect(await level('shop', 'Functions')).toMatchObject([{ name: 'two', kind: 'function', detail: 'procedure' }]);
  expect(await level('shop', 'Tables', 'leaf')).toMatchObject([
    { name: 'id', kind: 'column', detail: 'int(11) not null', isKey: true },
    { name: 'name', detail: 'varchar(9)', isKey: false },
    ...['Keys', 'Indexes', 'Triggers'].map((name) => ({ name, kind: 'group' })),
  ]);
  expect(await level('shop', 'Tables', 'leaf', 'Indexes')).toMatchObject([
    { name: 'by_name', detail: 'btree (name)' },
    { name: 'PRIMARY', detail: 'unique btree (id)' },
  ]);
  expect(await level('shop', 'Tables', 'leaf', 'Keys')).toMatchObject([
    { name: 'PRIMARY', detail: 'PRIMARY KEY (id)' },
  ]);
  const { tables } = await page.next('names', page.send({ type: 'names' }));
  expect(tables).toContainEqual({ schema: 'shop', table: 'leaf', columns: ['id', 'name'] });
  const called = await page.run('call two()');
  expect(called.rows).toEqual([['1']]);
  expect(called.all).toContainEqual(
    expect.objectContaining({ type: 'notice', message: expect.stringContaining('2 results') }),
  );
  await page.run('drop view seen; drop procedure two; drop table leaf');
});

test('a plan is shown as a tree; measured, the statement runs and is taken back', async () => {
  const page = await ready();
  await page.run('create table planned (a int primary key); insert into planned select seq from seq_1_to_50');
  const plan = async (sql: string, analyze: boolean) => {
    const { format, text } = await page.next('plan', page.send({ type: 'explain', tab: 0, sql, analyze }));
    expect(format).toBe('json');
    return text;
  };
  const join = await plan('select * from planned a join planned b on b.a = a.a + 1 order by b.a', false);
  expect(join).toContain('"Relation Name":"b"');
  expect(join).toContain('"Node Type":"Nested Loop"');
  expect(await plan('delete from planned where a > 10', true)).toMatch(/"Actual Rows":\d/);
  expect((await page.run('select count(*) from planned')).rows).toEqual([['50']]);
  await page.run('drop table planned');
});

test('a whole result is written as a file, in which nothing is a formula', async () => {
  const page = await ready();
  const id = page.send({
    type: 'export',
    tab: 0,
    format: 'csv',
    sql: `select '=1+1' as a, 'say "hi"' as b, null as c, -5 as d`,
  });
  await page.next('done', id);
  const text = page.heard.flatMap((reply) => (reply.type === 'piece' && reply.id === id ? [reply.text] : [])).join('');
  expect(text).toBe(`a,b,c,d\r\n'=1+1,"say ""hi""",,-5\r\n`);
});

test('who may only read gets around it by no statement', async () => {
  const owner = await ready();
  await owner.run(`create table t (a int); insert into t values (1); create sequence numbers; create table plain (a int) engine=myisam;
    create function writes() returns int begin insert into plain values (1); return 1; end`);
  const names = "db_users: [by_native], db_names: ['shop']";
  await makeRole(
    world.admin,
    'held',
    `{options: {db_export: false, db_read_only: true}, allow: {db_labels: {env: dev}, ${names}}}`,
  );
  await world.gateway.addUser('bob', { roles: ['held'] });
  const page = await ready({ who: await world.gateway.signedIn('bob') });
  expect(page.heard.at(-1)).toMatchObject({ readOnly: true, mayExport: false });
  for (const sql of [
    'create table no (a int)',
    'commit',
    '/*! commit */',
    '/*M! commit */ select 1',
    'set session transaction read write',
    'begin',
    'call x()',
    'do release_all_locks()',
    'analyze table t',
    "select 1 into outfile '/tmp/gatehouse-no'",
    "select 'a\\' into /**/ outfile '/tmp/gatehouse-no' -- '",
    "select 1 /*! into dumpfile '/tmp/gatehouse-no' */",
    'prepare p from "delete from t"',
    'handler t open',
  ])
    expect([sql, await page.refusal(sql)]).toEqual([sql, 'read_only']);
  for (const sql of ['with w as (select 1) delete from t', 'select nextval(numbers)', 'select writes()', 'use other'])
    expect([sql, await page.refusal(sql)]).not.toEqual([sql, 'run']);
  expect((await page.run('# a comment\n(select a from t)')).rows).toEqual([['1']]);
  expect((await page.run('show tables')).rows).toContainEqual(['t']);
  expect((await owner.run('select (select count(*) from plain), (select count(*) from t)')).rows).toEqual([['0', '1']]);
  const dry = page.send({ type: 'dryRun', tab: 0, sql: 'delete from t' });
  await expect(page.next('tried', dry)).rejects.toThrow(/read_only/);
  await owner.run('drop function writes; drop sequence numbers; drop table t; drop table plain');
});

test('a lock ends it with the reason, and what runs is cancelled at the server', async () => {
  const page = await ready();
  page.send({ type: 'run', tab: 0, sql: "select benchmark(1000000000000, 1), 'held by a lock'" });
  await world.gateway.addUser('eve', { roles: ['dev'] });
  const other = await ready({ who: await world.gateway.signedIn('eve') });
  const left = "select count(*) from information_schema.processlist where info like 'select benchmark%held by%'";
  await expect.poll(async () => (await other.run(left)).rows).toEqual([['1']]);
  const body = { targets: { user: 'ann' }, message: 'for the test' };
  await call(world.admin.send, lockRoutes.create, { params: CLUSTER, body });

  expect(await page.next('ended')).toMatchObject({ cause: 'locked', message: expect.stringContaining('locked') });
  await expect.poll(() => page.closed?.code).toBe(1000);
  await expect.poll(async () => (await other.run(left)).rows).toEqual([['0']]);
});
