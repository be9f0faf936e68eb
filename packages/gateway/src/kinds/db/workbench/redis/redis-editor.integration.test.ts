/** The workbench of Redis through its socket, with a real server behind the gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import type { RedisText } from '@gatehouse/contract/kinds/db/editor';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../../../testing/db/db-world.ts';
import type { EditorPage } from '../../../../../testing/db/editor-page.ts';
import { editorPages } from '../../../../../testing/db/editor-pages.ts';
import { PASSWORD, type SecureRedis, startSecureRedis } from '../../../../../testing/db/secure-redis.ts';
import { WatchPage } from '../../../../../testing/db/watch-page.ts';

let redis: SecureRedis;
let world: DbWorld;
beforeAll(async () => {
  redis = await startSecureRedis();
});
afterAll(() => redis?.stop());
beforeEach(async () => {
  world = await startDbWorldOf({
    ...{ protocol: 'redis', port: redis.port, ca: redis.ca, database: '', dbNames: ['*'] },
    ...{ dbUsers: ['app', 'reader'], password: PASSWORD },
  });
});
afterEach(async () => {
  await closePages();
  await world.close();
});

const { opened, ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann, dbUser: 'app' }));

async function typed(page: EditorPage, line: string, tab = 0) {
  const { value, dbName } = await page.next('reply', page.send({ type: 'command', tab, line }));
  return { value, dbName };
}

async function looked(page: EditorPage, name: RedisText, cursor = '0') {
  return page.next('key', page.send({ type: 'key', name, cursor }));
}

async function allKeys(page: EditorPage, more: { match?: string; kind?: string } = {}) {
  const keys = [];
  let cursor = '0';
  do {
    const reply = await page.next('keys', page.send({ type: 'keys', cursor, ...more }));
    keys.push(...reply.keys);
    cursor = reply.cursor;
  } while (cursor !== '0');
  return keys;
}

test('commands are typed as in a terminal, answered in their types, and told to the log', async () => {
  const page = await ready();
  expect(page.heard.at(-1)).toMatchObject({ type: 'ready', protocol: 'redis', version: expect.stringMatching(/^\d/) });
  expect((await typed(page, 'flushall')).value).toEqual({ is: 'status', value: 'OK' });
  expect((await typed(page, String.raw`set "a b" "x\x00\xff"`)).value).toEqual({ is: 'status', value: 'OK' });
  expect((await typed(page, "get 'a b'")).value).toEqual({ is: 'text', value: { base64: 'eAD/' } });
  expect((await typed(page, 'incr n')).value).toEqual({ is: 'number', value: '1' });
  expect((await typed(page, 'get none')).value).toEqual({ is: 'null' });
  expect((await typed(page, 'nonsense')).value).toMatchObject({ is: 'error', value: expect.stringMatching(/^ERR/) });
  expect((await typed(page, 'eval "return {1,{2,{}}}" 0')).value).toEqual({
    is: 'list',
    values: [
      { is: 'number', value: '1' },
      {
        is: 'list',
        values: [
          { is: 'number', value: '2' },
          { is: 'list', values: [] },
        ],
      },
    ],
  });
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB02I');
  await expect
    .poll(async () => (await told()).map(({ data }) => data))
    .toContainEqual(
      expect.objectContaining({
        user: 'ann',
        db_query: '"incr" "n"',
        statement: expect.objectContaining({ door: 'web' }),
      }),
    );
});

test.each(['get "open', 'get "a"b', '   ', 'subscribe news', 'hello 3'])(
  'what is no command of this console is refused, and the next one runs: %j',
  async (line) => {
    const page = await ready();
    const id = page.send({ type: 'command', tab: 0, line });
    await expect(page.next('reply', id)).rejects.toThrow(/bad_request/);
    expect((await typed(page, 'echo on')).value).toEqual({ is: 'text', value: 'on' });
  },
);

test('a large answer is cut and says so, and what follows it is whole', async () => {
  const page = await ready();
  await typed(page, `eval "redis.call('set', 'big', string.rep('x', 3000000))" 0`);
  expect((await typed(page, 'get big')).value).toEqual({ is: 'text', value: 'x'.repeat(65_536), bytes: 3_000_000 });
  const { value } = await typed(page, `eval "local r = {} for i = 1, 30000 do r[i] = i end return r" 0`);
  expect(value.is === 'list' && [value.values.length + (value.left ?? 0), value.values.length < 30_000]).toEqual([
    30_000,
    true,
  ]);
  expect((await typed(page, 'echo after')).value).toEqual({ is: 'text', value: 'after' });
});

test('keys are listed by SCAN with their types and ends, by pattern and by type', async () => {
  const page = await ready();
  await typed(page, 'flushall');
  await typed(page, `eval "for i = 1, 1000 do redis.call('set', 'session:' .. i, i, 'EX', 1000) end" 0`);
  await typed(page, 'hset cart:1 a b');
  await typed(page, String.raw`set "\xff\x00" binary`);

  const all = await allKeys(page);
  expect(new Set(all.map(({ name }) => JSON.stringify(name))).size).toBe(1_002);
  expect(all).toContainEqual({ name: 'cart:1', kind: 'hash' });
  expect(all).toContainEqual({ name: { base64: '/wA=' }, kind: 'string' });
  expect(all.find(({ name }) => name === 'session:7')?.endsInMs).toBeGreaterThan(0);
  expect(await allKeys(page, { match: 'cart:*' })).toEqual([{ name: 'cart:1', kind: 'hash' }]);
  expect(await allKeys(page, { kind: 'hash' })).toEqual([{ name: 'cart:1', kind: 'hash' }]);
  const { total } = await page.next('keys', page.send({ type: 'keys', cursor: '0' }));
  expect(total).toBe(1_002);
  await typed(page, 'echo listed');
  const told = async () => (await world.gateway.events()).map(({ data }) => String(data.db_query));
  // What was asked before it has been told by then.
  await expect.poll(told).toContain('"echo" "listed"');
  expect((await told()).some((query) => query.startsWith('"KEYS"'))).toBe(false);
});

test('a key of each type is shown page by page', async () => {
  const page = await ready();
  await typed(page, 'flushall');
  for (const line of [
    'set text hello',
    `eval "for i = 1, 250 do redis.call('hset', 'hash', 'f' .. i, string.rep('v', 100)) end" 0`,
    `eval "for i = 1, 250 do redis.call('rpush', 'list', 'v' .. i) end" 0`,
    `eval "for i = 1, 250 do redis.call('sadd', 'set', 'm' .. i .. string.rep('v', 100)) end" 0`,
    `eval "for i = 1, 250 do redis.call('zadd', 'zset', i, 'm' .. i) end" 0`,
    `eval "for i = 1, 250 do redis.call('xadd', 'stream', i .. '-1', 'a', i, 'b', 'x') end" 0`,
  ])
    await typed(page, line);
  await typed(page, 'expire text 500');
  const text = await looked(page, 'text');
  expect(text).toMatchObject({ kind: 'string', encoding: 'embstr', size: 5, entries: [['hello']], cursor: '0' });
  expect(text.bytes).toBeGreaterThan(0);
  expect(text.endsInMs).toBeGreaterThan(0);
  for (const [name, first] of [
    ['hash', undefined],
    ['set', undefined],
    ['list', ['0', 'v1']],
    ['zset', ['m1', '1']],
    ['stream', ['1-1', 'a', '1', 'b', 'x']],
  ] as const) {
    const entries: RedisText[][] = [];
    let cursor = '0';
    do {
      const reply = await looked(page, name, cursor);
      expect(reply).toMatchObject({ kind: name, size: 250 });
      entries.push(...reply.entries);
      cursor = reply.cursor;
    } while (cursor !== '0');
    expect([name, new Set(entries.map((entry) => entry[0])).size]).toEqual([name, 250]);
    if (first) expect(entries[0]).toEqual(first);
  }
  expect(await looked(page, 'nothing')).toMatchObject({ kind: 'none', size: 0, entries: [], cursor: '0' });
});

test('a database is chosen among those of the role, and keys are listed there', async () => {
  const names = { params: { ...CLUSTER, name: 'shop' }, body: { names: ['0', '3'] } };
  const cleaner = await ready();
  await typed(cleaner, 'flushall');
  await cleaner.close();
  await call(world.admin.send, databaseRoutes.update, names);
  const page = await ready();
  // What reaches every database does not pass for who may not use all.
  expect((await typed(page, 'flushall')).value).toMatchObject({ is: 'error', value: expect.stringMatching(/^NOPERM/) });
  await typed(page, 'set here 0');
  expect(await typed(page, 'select 3')).toEqual({ value: { is: 'status', value: 'OK' }, dbName: '3' });
  expect(await allKeys(page)).toEqual([]);
  await typed(page, 'set there 3');
  expect((await allKeys(page)).map(({ name }) => name)).toEqual(['there']);
  expect(await looked(page, 'there')).toMatchObject({ entries: [['3']] });
  expect(await typed(page, 'select 4')).toMatchObject({ value: { is: 'error' }, dbName: '3' });
});

test('who may only read changes nothing, and sees everything', async () => {
  const owner = await ready();
  await typed(owner, 'flushall');
  await typed(owner, 'set kept 1');
  await owner.close();
  const shop = { params: { ...CLUSTER, name: 'shop' } };
  await call(world.admin.send, databaseRoutes.update, { ...shop, body: { readOnly: true } });
  const page = await ready();
  expect(page.heard.at(-1)).toMatchObject({ readOnly: true });
  for (const line of ['set kept 2', 'del kept', 'eval "return 1" 0', 'flushall', 'config set maxmemory 1'])
    expect([line, (await typed(page, line)).value]).toMatchObject([
      line,
      { is: 'error', value: expect.stringMatching(/^NOPERM/) },
    ]);
  expect(await allKeys(page)).toEqual([{ name: 'kept', kind: 'string' }]);
  expect(await looked(page, 'kept')).toMatchObject({ entries: [['1']] });
});

test('a role that asks for approvals reads, and nothing that writes passes or can be asked for', async () => {
  const names = "db_users: [app], db_names: ['*']";
  await makeRole(world.admin, 'asker', `{options: {db_approval: true}, allow: {db_labels: {env: dev}, ${names}}}`);
  await world.gateway.addUser('bob', { roles: ['asker'] });
  const page = await ready({ who: await world.gateway.signedIn('bob') });

  expect(page.heard.at(-1)).toMatchObject({ readOnly: true, asks: false });
  expect((await typed(page, 'set kept 2')).value).toMatchObject({ value: expect.stringMatching(/^NOPERM/) });
  expect((await typed(page, 'dbsize')).value).toMatchObject({ is: 'number' });
});

test('what the database user may not is said in its words', async () => {
  const page = await ready({ dbUser: 'reader' });
  expect((await typed(page, 'del x')).value).toMatchObject({ is: 'error', value: expect.stringMatching(/^NOPERM/) });
  const id = page.send({ type: 'keys', cursor: '0' });
  await expect(page.next('keys', id)).rejects.toThrow(/NOPERM/);
});

test('what runs is stopped with its connection, and the next command has a new one', async () => {
  const page = await ready();
  await typed(page, 'del never');
  const id = page.send({ type: 'command', tab: 0, line: 'blpop never 0' });
  await expect
    .poll(async () => JSON.stringify(await typed(page, 'info clients', 1)))
    .toContain(String.raw`blocked_clients:1\r`);
  page.send({ type: 'cancel', id });
  await expect(page.next('reply', id)).rejects.toThrow(/cancelled/);
  expect((await typed(page, 'echo again')).value).toEqual({ is: 'text', value: 'again' });
  await expect
    .poll(async () => JSON.stringify(await typed(page, 'info clients', 1)))
    .toContain(String.raw`blocked_clients:0\r`);
});

test('a console whose connection ended goes on in the database that its prompt says', async () => {
  const page = await ready();
  await typed(page, 'flushall');
  await typed(page, 'select 3');
  const loseIt = async () => {
    const id = page.send({ type: 'command', tab: 0, line: 'blpop never 0' });
    page.send({ type: 'cancel', id });
    await expect(page.next('reply', id)).rejects.toThrow(/cancelled/);
  };
  await loseIt();
  const ok = { is: 'status', value: 'OK' };
  expect(await typed(page, 'set there 3')).toEqual({ value: ok, dbName: '3' });

  // Where it may not go back, nothing that was meant for there is sent elsewhere.
  await typed(page, 'acl setuser app -select', 1);
  await loseIt();
  const refused = { value: { is: 'error', value: expect.stringMatching(/^NOPERM/) }, dbName: '0' };
  expect(await typed(page, 'set there 0')).toEqual(refused);
  expect(await typed(page, 'get there')).toEqual({ value: { is: 'null' }, dbName: '0' });
  await typed(page, 'acl setuser app +select', 1);
});

test('a session outlives what was cancelled in it', async () => {
  const page = await ready();
  const id = page.send({ type: 'command', tab: 0, line: 'blpop never 0' });
  const isBlocked = async () => JSON.stringify(await typed(page, 'info clients', 1)).includes('blocked_clients:1');
  await expect.poll(isBlocked).toBe(true);
  page.send({ type: 'cancel', id });
  await expect(page.next('reply', id)).rejects.toThrow(/cancelled/);
  expect(page.heard).toContainEqual(
    expect.objectContaining({ type: 'failed', code: 'cancelled', message: 'it was cancelled' }),
  );
  // Longer than a client is given to read the last words of a connection.
  await sleep(6_000);

  expect((await typed(page, 'echo still')).value).toEqual({ is: 'text', value: 'still' });
});

test('own commands are kept without their secrets', async () => {
  const page = await ready();
  await typed(page, 'echo kept');
  await typed(page, 'acl setuser someone >hunter2');
  await typed(page, 'config set masterauth hunter3');
  const history = async () => (await page.next('statements', page.send({ type: 'history' }))).statements;
  await expect.poll(async () => (await history()).length).toBe(3);
  const kept = JSON.stringify(await history());
  expect(kept).toContain('echo kept');
  expect(kept).not.toMatch(/hunter/);
  await typed(page, 'acl deluser someone');
  await typed(page, 'config set masterauth ""');
});

test('a lock ends it with the reason', async () => {
  const page = await ready();
  const body = { targets: { user: 'ann' }, message: 'for the test' };
  await call(world.admin.send, lockRoutes.create, { params: CLUSTER, body });
  expect(await page.next('ended')).toMatchObject({ cause: 'locked', message: expect.stringContaining('locked') });
  await expect.poll(() => page.closed?.code).toBe(1000);
});

test('under the eyes of somebody: commands are seen as they are typed, and none passes without them', async () => {
  const wish = `{name: eyes, filter: 'contains(user.roles, "helper")', kinds: [db], count: 1, modes: [moderator], on_leave: pause}`;
  await makeRole(world.admin, 'paused', `{allow: {require_session_join: [${wish}]}}`);
  const joins = '[{name: h, kinds: [db], roles: [dev], modes: [moderator]}]';
  await makeRole(world.admin, 'helper', `{allow: {join_sessions: ${joins}}}`);
  await world.gateway.addUser('eve', { roles: ['helper'] });
  const eve = await world.gateway.signedIn('eve');
  await world.gateway.setRoles('ann', ['dev', 'paused']);
  const page = opened();
  await expect.poll(() => page.heard.at(-1)).toMatchObject({ type: 'flow', flow: 'waiting', could: ['eve'] });
  const { sessions } = await call(eve.send, sessionRoutes.list, { params: CLUSTER });
  const eyes = new WatchPage({ origin: world.origin, who: eve, sid: sessions[0]?.id ?? '' });
  await page.next('ready');
  await typed(page, 'set watched yes');
  await expect.poll(() => eyes.of('asked').some(({ text }) => text.includes('watched'))).toBe(true);
  await eyes.leave();

  await expect.poll(() => page.heard.at(-1)).toMatchObject({ type: 'flow', flow: 'frozen' });
  await expect(typed(page, 'set watched no')).rejects.toThrow(/"frozen"/);
});
