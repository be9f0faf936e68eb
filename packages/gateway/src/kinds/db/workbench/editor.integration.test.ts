/** The workbench through its socket, with a real PostgreSQL behind the gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../../testing/db/db-world.ts';
import type { EditorPage } from '../../../../testing/db/editor-page.ts';
import { editorPages } from '../../../../testing/db/editor-pages.ts';
import { longResultsSuite } from '../../../../testing/db/long-results-suite.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';

const SHOP = { params: { ...CLUSTER, name: 'shop' } };
let postgres: SecurePostgres;
let world: DbWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  world = await startDbWorld(postgres);
});
afterEach(async () => {
  await closePages();
  await world.close();
});

const { opened, ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann }));

/** How many others run it at this moment, asked in a tab that waits for nothing. */
async function activeOf(page: EditorPage, text: string) {
  const others = "from pg_stat_activity where pid <> pg_backend_pid() and state = 'active'";
  return (await page.run(`select count(*) ${others} and query like '%${text}%'`, { tab: 1 })).rows;
}

test('statements are run one after the other, their values come as the server writes them, and each is told to the log', async () => {
  const page = await ready();
  const { rows, all, done } = await page.run(
    "select 1.50::numeric(5,2) as a, null as b, '\\x00ff'::bytea as c; select 'two;' as d",
  );

  expect(rows).toEqual([['1.50', null, '\\x00ff'], ['two;']]);
  expect(all.filter(({ type }) => type === 'columns')).toMatchObject([
    { statement: 0, names: ['a', 'b', 'c'], types: ['numeric(5,2)', 'text', 'bytea'], from: 0 },
    { statement: 1, names: ['d'], types: ['text'] },
  ]);
  expect(done).toMatchObject({ statement: 1, left: 0, rows: 1, tag: 'SELECT 1', more: false, transaction: 'none' });
  expect(done.ms.server).toBeGreaterThan(0);
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TPG00I');
  await expect
    .poll(async () => (await told()).map(({ data }) => data))
    .toMatchObject([
      { user: 'ann', query: expect.stringContaining('numeric'), statement: { door: 'web' } },
      { query: "select 'two;' as d" },
    ]);
});

test('an error says where in what was sent it is, and what to do', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: "select '😀'; select foo from pg_class" });

  const failed = await page.next('failed', id);
  expect(failed).toMatchObject({
    id,
    statement: 1,
    code: '42703',
    message: expect.stringContaining('foo'),
    position: 20,
  });
});

longResultsSuite({
  ready,
  long: "select i, repeat('x', 100) from generate_series(1, 100000) i",
  short: 'select generate_series(1, 25)',
});

test('more of a result that is over is refused', async () => {
  const page = await ready();
  const { id } = await page.run('select generate_series(1, 25)', { maxRows: 30 });
  page.send({ type: 'more', id });
  await expect(page.next('nodes', id, page.heard.length)).rejects.toThrow(/gone/);
});

test('a long value is cut and marked, and those behind it are not', async () => {
  const page = await ready();
  const { rows, all } = await page.run("select repeat('é', 100000), 'after'");

  expect(rows[0]?.[0]).toHaveLength(32 * 1024);
  expect(rows[0]?.[1]).toBe('after');
  expect(all).toContainEqual(expect.objectContaining({ cut: [{ row: 0, column: 0, bytes: 200_000 }] }));
});

test('what runs is cancelled at the server, and what runs in another tab is not', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: 'select pg_sleep(30)' });
  const other = await page.run('select 2', { tab: 1 });
  expect(other.rows).toEqual([['2']]);
  await expect.poll(() => activeOf(page, 'pg_sleep(30)')).toEqual([['1']]);
  const begun = performance.now();
  page.send({ type: 'cancel', id });

  await expect(page.next('done', id)).rejects.toThrow(/cancelled/);
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  expect((await page.run('select 3')).rows).toEqual([['3']]);
});

test('a session outlives what was cancelled in it, and the tabs that were closed', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: 'select pg_sleep(32)' });
  await page.run('select 2', { tab: 1 });
  await expect.poll(() => activeOf(page, 'pg_sleep(32)')).toEqual([['1']]);
  page.send({ type: 'cancel', id });
  await expect(page.next('done', id)).rejects.toThrow(/cancelled/);
  page.send({ type: 'closeTab', tab: 1 });
  page.send({ type: 'closeTab', tab: 0 });
  // Longer than a client is given to read the last words of a connection.
  await sleep(6_000);

  expect((await page.run('select 3', { tab: 2 })).rows).toEqual([['3']]);
});

test('a dry run shows how many rows it touches, and is taken back or kept', async () => {
  const page = await ready();
  await page.run('create table dry (a int primary key); insert into dry select generate_series(1, 9)');
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
  const id = page.send({ type: 'dryRun', tab: 0, sql: '/* /* */ delete */ commit' });
  await expect(page.next('tried', id)).rejects.toThrow(/taken back/);
  await page.run('drop table dry');
});

test('rows of one table with a key are edited together, each only as it was shown', async () => {
  const page = await ready();
  await page.run(
    `create table "Ed it" (id int primary key, note json); insert into "Ed it" values (1, '{"a":1}'), (2, null)`,
  );
  const { id: shown } = await page.run('select id, note from "Ed it"');
  const source = await page.next('source', shown);
  expect(source).toMatchObject({ schema: 'public', table: 'Ed it', columns: ['id', 'note'], key: ['id'] });
  const table = { schema: 'public', table: 'Ed it' };
  const update = { what: 'update' as const, key: { id: '1' }, old: { note: '{"a":1}' }, values: { note: '{"b":2}' } };
  const stale = { what: 'update' as const, key: { id: '2' }, old: { note: '{}' }, values: { note: 'null' } };
  const refused = page.send({ type: 'edit', tab: 0, ...table, changes: [update, stale] });
  await expect(page.next('edited', refused)).rejects.toThrow(/"conflict".*"change":1/s);
  expect((await page.run('select note from "Ed it" order by id')).rows).toEqual([['{"a":1}'], [null]]);
  const changes = [
    update,
    { what: 'delete' as const, key: { id: '2' }, old: { note: null } },
    { what: 'insert' as const, values: { id: '3' } },
  ];
  const made = page.send({ type: 'edit', tab: 0, ...table, changes });
  expect(await page.next('edited', made)).toMatchObject({ rows: 3 });
  expect((await page.run('select * from "Ed it" order by id')).rows).toEqual([
    ['1', '{"b":2}'],
    ['3', null],
  ]);
  await page.run('drop table "Ed it"');
});

test('the tree is told level by level, as the user sees it', async () => {
  const page = await ready();
  await page.run('create table leaf (id int primary key, name varchar(9)); create index by_name on leaf (name)');
  const level = async (...path: string[]) => (await page.next('nodes', page.send({ type: 'tree', path }))).nodes;
  expect((await level()).map(({ name }) => name)).toContain('public');
  expect((await level('public', 'Tables')).map(({ name }) => name)).toContain('leaf');
  expect(await level('public', 'Tables', 'leaf')).toMatchObject([
    { name: 'id', kind: 'column', detail: 'integer not null', isKey: true },
    { name: 'name', detail: 'character varying(9)', isKey: false },
    ...['Keys', 'Indexes', 'Triggers'].map((name) => ({ name, kind: 'group' })),
  ]);
  expect((await level('public', 'Tables', 'leaf', 'Indexes')).map(({ name }) => name)).toEqual([
    'by_name',
    'leaf_pkey',
  ]);
  const { tables } = await page.next('names', page.send({ type: 'names' }));
  expect(tables).toContainEqual({ schema: 'public', table: 'leaf', columns: ['id', 'name'] });
  await page.run('drop table leaf');
});

test('a plan is shown; measured, the statement runs and is taken back', async () => {
  const page = await ready();
  await page.run('create table planned (a int)');
  const id = page.send({ type: 'explain', tab: 0, sql: 'insert into planned values (1)', analyze: true });
  const { text } = await page.next('plan', id);
  expect(JSON.parse(text)).toMatchObject([{ Plan: { 'Actual Rows': 0 } }]);
  expect((await page.run('select * from planned')).rows).toEqual([]);
  await page.run('drop table planned');
});

test('a whole result is written as a file, in which nothing is a formula', async () => {
  const page = await ready();
  const files: string[] = [];
  for (const format of ['csv', 'json'] as const) {
    const id = page.send({
      type: 'export',
      tab: 0,
      format,
      sql: `select '=1+1' as a, 'say "hi"' as b, null as c, '-5' as d`,
    });
    await page.next('done', id);
    files.push(page.heard.flatMap((reply) => (reply.type === 'piece' && reply.id === id ? [reply.text] : [])).join(''));
  }
  expect(files[0]).toBe(`a,b,c,d\r\n'=1+1,"say ""hi""",,-5\r\n`);
  expect(JSON.parse(files[1] ?? '')).toEqual([{ a: '=1+1', b: 'say "hi"', c: null, d: '-5' }]);
});

test('a role forbids files and writing, and no statement gets around it', async () => {
  const names = `db_users: [by_scram], db_names: [${postgres.database}]`;
  await makeRole(
    world.admin,
    'held',
    `{options: {db_export: false, db_read_only: true}, allow: {db_labels: {env: dev}, ${names}}}`,
  );
  await world.gateway.addUser('bob', { roles: ['held'] });
  const bob = await world.gateway.signedIn('bob');
  const page = await ready({ who: bob });
  expect(page.heard.at(-1)).toMatchObject({ readOnly: true, mayExport: false });
  const refused = async (sql: string) => {
    const id = page.send({ type: 'run', tab: 0, sql });
    return page.next('done', id).then(
      () => 'run',
      (error: Error) => JSON.parse(error.message).code as string,
    );
  };
  for (const sql of [
    'create table no (a int)',
    'commit',
    ';commit',
    'set transaction read write',
    '/* /* */ select */ commit',
    'begin',
    "copy (select 1) to program 'true'",
    'do $$ begin commit; end $$',
    'prepare p as select 1',
  ])
    expect([sql, await refused(sql)]).toEqual([sql, 'read_only']);
  expect(await refused("select set_config('transaction_read_only', 'off', false)")).toBe('25001');
  expect(await refused('with w as (delete from pg_class returning 1) select * from w')).not.toBe('run');
  // The server lets it pass; what was made goes with the transaction.
  expect(await refused('explain analyze create table no as select 1')).toBe('run');
  expect((await page.run("select to_regclass('no')")).rows).toEqual([[null]]);
  expect((await page.run('show transaction_read_only')).rows).toEqual([['on']]);
  expect((await page.run('select generate_series(1, 3)', { maxRows: 2 })).done.more).toBe(true);
  expect((await page.run('(select 1)')).rows).toEqual([['1']]);
  const id = page.send({ type: 'export', tab: 0, format: 'csv', sql: 'select 1' });
  await expect(page.next('done', id)).rejects.toThrow(/denied/);
  const dry = page.send({ type: 'dryRun', tab: 0, sql: 'delete from pg_class' });
  await expect(page.next('tried', dry)).rejects.toThrow(/read_only/);
  const changes = [{ what: 'insert' as const, values: {} }];
  const edit = page.send({ type: 'edit', tab: 0, schema: 'public', table: 't', changes });
  await expect(page.next('edited', edit)).rejects.toThrow(/read_only/);
});

test('a record that is read-only opens here, and holds', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { readOnly: true } });
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: 'create table no (a int)' });
  await expect(page.next('done', id)).rejects.toThrow(/read_only/);
});

test('own statements are kept for who ran them, without passwords, and nobody else sees them', async () => {
  const page = await ready();
  await page.run('select 41');
  const id = page.send({
    type: 'run',
    tab: 0,
    sql: "create role workbencher password 'secret'; drop role workbencher; nonsense",
  });
  await page.next('failed', id);
  page.send({ type: 'save', name: 'mine', sql: 'select 42' });
  const history = async (from: EditorPage, search = '') =>
    (await from.next('statements', from.send({ type: 'history', search }))).statements;
  await expect.poll(async () => (await history(page)).length).toBeGreaterThanOrEqual(2);
  expect(await history(page, 'SELECT 41')).toMatchObject([{ sql: 'select 41', rows: 1 }]);
  expect(JSON.stringify(await history(page))).not.toContain('secret');
  expect((await page.next('statements', page.send({ type: 'saved' }))).statements).toMatchObject([
    { name: 'mine', sql: 'select 42' },
  ]);
  await world.gateway.addUser('eve', { roles: ['dev'] });
  const eve = await world.gateway.signedIn('eve');
  const other = await ready({ who: eve });
  expect(await history(other)).toEqual([]);
  expect((await other.next('statements', other.send({ type: 'saved' }))).statements).toEqual([]);
});

test('a lock ends it with the reason, and what runs is cancelled at the server', async () => {
  const page = await ready();
  page.send({ type: 'run', tab: 0, sql: "select pg_sleep(31), 'held by a lock'" });
  await expect.poll(() => activeOf(page, 'pg_sleep(31)')).toEqual([['1']]);
  const begun = performance.now();
  const body = { targets: { user: 'ann' }, message: 'for the test' };
  await call(world.admin.send, lockRoutes.create, { params: CLUSTER, body });

  const ended = await page.next('ended');
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  expect(ended).toMatchObject({ cause: 'locked', message: expect.stringContaining('locked') });
  // By whichever is first: the end of the session, or that of the sign-in behind the socket.
  await expect.poll(() => page.closed?.code).toSatisfy((code) => code === 1000 || code === 4401);
  await world.gateway.addUser('eve', { roles: ['dev'] });
  const other = await ready({ who: await world.gateway.signedIn('eve') });
  expect(await activeOf(other, 'pg_sleep(31)')).toEqual([['0']]);
});

test.each([
  ['a user that no role gives', { dbUser: 'by_clear' }, 'denied'],
  ['a database that is not seen', { name: 'other' }, 'not_found'],
])('%s is refused in words', async (_what, options, code) => {
  const page = opened(options);
  await expect(page.next('ready')).rejects.toThrow(code);
});

test.each([
  '',
  '{',
  '[]',
  '{"type":"run"}',
  '{"type":"run","id":1,"tab":99,"sql":"x"}',
  '{"type":"ack","id":-1,"seq":0}',
  'x'.repeat(2_000_000),
])('a message that is none ends the socket and nothing else: %#', async (text) => {
  const page = await ready();
  const other = await ready();
  page.socket.send(text);
  await expect.poll(() => page.closed?.code).toBeGreaterThan(1000);
  expect((await other.run('select 1')).rows).toEqual([['1']]);
});

test('what makes no sense is answered, and does no harm', async () => {
  const page = await ready();
  for (const request of [
    { type: 'more', id: 900 },
    { type: 'cancel', id: 901 },
    { type: 'settle', id: 902, commit: true },
    { type: 'ack', id: 903, seq: 5 },
    { type: 'close', id: 904 },
    { type: 'closeTab', tab: 7 },
  ] as const)
    page.socket.send(JSON.stringify(request));
  for (const sql of ['--', ';;', '/*']) {
    const id = page.send({ type: 'run', tab: 0, sql });
    await expect(page.next('done', id)).rejects.toThrow(/no statement/);
  }
  const id = page.send({ type: 'command', tab: 0, line: 'PING' });
  await expect(page.next('reply', id)).rejects.toThrow(/understands/);
  const copied = page.send({ type: 'run', tab: 0, sql: 'copy pg_class from stdin' });
  await expect(page.next('done', copied)).rejects.toThrow();
  expect((await page.run('select 1')).rows).toEqual([['1']]);
});

test('one that nothing is stored for is refused in words, and nobody else is touched', async () => {
  const params = { ...CLUSTER, name: 'shop', dbUser: 'by_md5' };
  // Before anybody is in: a change of its passwords ends every session with the database.
  await call(world.admin.send, databaseRoutes.removeSecret, { params });
  const beside = await ready();
  const page = opened({ dbUser: 'by_md5' });

  expect(await page.next('refused')).toMatchObject({ message: expect.stringContaining('no password') });
  expect((await beside.run('select 1')).rows).toEqual([['1']]);
});
