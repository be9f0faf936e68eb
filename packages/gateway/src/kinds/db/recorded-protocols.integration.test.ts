/** Sessions in the other protocols, as their recordings tell them: MariaDB and Redis as they are, MongoDB by its own driver and a stub, SQL Server by a stub. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { MongoClient } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import type { WorldDatabase } from '../../../testing/db/db-world.ts';
import { PlainSqlserver } from '../../../testing/db/plain-sqlserver.ts';
import { type RecordedWorld, startRecordedWorld } from '../../../testing/db/recorded-world.ts';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '../../../testing/db/secure-redis.ts';
import { startStubMongodb } from '../../../testing/db/stub-mongodb.ts';
import { startStubSqlserver } from '../../../testing/db/stub-sqlserver.ts';

interface Server {
  port: number;
  ca: string;
  stop(): unknown;
}

async function start(
  server: Server,
  db: Pick<WorldDatabase, 'protocol' | 'database' | 'dbNames' | 'dbUsers' | 'password'>,
): Promise<RecordedWorld> {
  onTestFinished(() => void server.stop());
  const world = await startRecordedWorld({ ...db, port: server.port, ca: server.ca });
  onTestFinished(() => world.close());
  return world;
}

const told = async (world: RecordedWorld, sid: string) =>
  (await world.statements(sid)).map(({ what, text, values, answer }) => [what, text, values, answer?.code]);

test('MariaDB: statements, what is prepared, values, and what failed', async () => {
  const world = await start(await startSecureMariadb(), {
    ...{ protocol: 'mysql', database: 'shop', dbNames: ['shop'], dbUsers: ['by_native'], password: MARIADB_PASSWORD },
  });
  const { port } = await world.tunnel();
  const client = await createConnection({ host: '127.0.0.1', port, user: 'anybody', password: 'anything' });
  client.on('error', () => {});
  await client.query('select 1 as one');
  await client.execute('select ? + 1 as n', [41]);
  await expect(client.query('selct')).rejects.toMatchObject({ errno: 1064 });
  await client.query("set password = password('hunter2')").catch(() => {});
  await client.end();

  const { sid, protocol } = await world.recording();
  expect(protocol).toBe('mysql');
  expect(await told(world, sid)).toEqual([
    ['query', 'select 1 as one', undefined, ''],
    ['prepare', 'select ? + 1 as n', undefined, ''],
    ['execute', 'select ? + 1 as n', ['41'], ''],
    ['query', 'selct', undefined, '1064'],
    ['query', "set password = password('***')", undefined, expect.any(String)],
  ]);
});

test('MariaDB: a sample of each result, also of what is prepared, where a role says so', async () => {
  const mariadb = await startSecureMariadb();
  onTestFinished(() => void mariadb.stop());
  const names = { database: 'shop', dbNames: ['shop'], dbUsers: ['by_native'], password: MARIADB_PASSWORD };
  const server = { protocol: 'mysql', port: mariadb.port, ca: mariadb.ca } as const;
  const world = await startRecordedWorld({ ...server, ...names });
  onTestFinished(() => world.close());
  await makeRole(world.admin, 'as-recorded', '{options: {record_session: {db_results: sample}}}');
  await world.gateway.setRoles('ann', ['dev', 'as-recorded']);
  const { port } = await world.tunnel();
  const client = await createConnection({ host: '127.0.0.1', port, user: 'anybody', password: 'anything' });
  client.on('error', () => {});
  const many = "select seq as n, concat('row ', seq) as text, null as nothing from seq_1_to_200";
  const [rows] = await client.query(many);
  await client.query("select 0x00ff as bytes, repeat('x', 300) as wide");
  const kinds = `select ? + 0 as n, cast('2026-02-03 04:05:06.000007' as datetime(6)) as d, null as nothing, cast(-5 as signed) as s,
    18446744073709551615 as u, cast('-12:00:01' as time) as t, 0x00ff as b, 'é' as w, cast(1.5 as decimal(5,2)) as c from seq_1_to_60`;
  await client.execute(kinds, [1]);
  await client.query('create temporary table t (a int)');
  await client.end();

  expect(rows).toHaveLength(200);
  const { sid } = await world.recording();
  const samples = (await world.statements(sid)).flatMap(({ sample }) => sample ?? []);
  expect(samples).toHaveLength(3);
  expect(samples[0]).toMatchObject({ columns: ['n', 'text', 'nothing'], cut: true });
  expect(samples[0]?.rows).toHaveLength(50);
  expect(samples[0]?.rows[1]).toEqual(['2', 'row 2', null]);
  expect(samples[1]).toMatchObject({ columns: ['bytes', 'wide'], rows: [['\\x00ff', 'x'.repeat(300)]], cut: false });
  expect(samples[2]).toMatchObject({ columns: ['n', 'd', 'nothing', 's', 'u', 't', 'b', 'w', 'c'], cut: true });
  expect(samples[2]?.rows).toHaveLength(50);
  expect(samples[2]?.rows[0]).toEqual([
    ...['1', '2026-02-03 04:05:06.000007', null, '-5', '18446744073709551615', '-12:00:01', '\\x00ff', 'é', '1.50'],
  ]);
});

test('Redis: commands, and what failed', async () => {
  const world = await start(await startSecureRedis(), {
    ...{ protocol: 'redis', database: '', dbNames: ['0'], dbUsers: ['app'], password: REDIS_PASSWORD },
  });
  const { port } = await world.tunnel();
  const child = spawn('redis-cli', ['-p', String(port)], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end('SET k v\nINCR k\nCONFIG SET requirepass hunter2\n');
  await once(child, 'close');

  const { sid } = await world.recording();
  const all = await told(world, sid);
  expect(all.slice(0, 2)).toEqual([
    ['SET', '"SET" "k" "v"', undefined, ''],
    ['INCR', '"INCR" "k"', undefined, 'ERR'],
  ]);
  expect(JSON.stringify(await world.items(sid))).not.toContain('hunter2');
});

test('Redis: a sample of each answer, in both versions of its protocol, and none of secrets, where a role says so', async () => {
  const world = await start(await startSecureRedis(), {
    ...{ protocol: 'redis', database: '', dbNames: ['0'], dbUsers: ['app'], password: REDIS_PASSWORD },
  });
  await makeRole(world.admin, 'as-recorded', '{options: {record_session: {db_results: sample}}}');
  await world.gateway.setRoles('ann', ['dev', 'as-recorded']);
  const { port } = await world.tunnel();
  const child = spawn('redis-cli', ['-p', String(port)], { stdio: ['pipe', 'ignore', 'inherit'] });
  const many = Array.from({ length: 200 }, (_, n) => `row-${n}`).join(' ');
  const asked = [
    `RPUSH many ${many}`,
    'LRANGE many 0 -1',
    'HSET h a 1 b "\\x00\\xff"',
    'HGETALL h',
    'GET nothing',
    'HELLO 3',
    'HGETALL h',
    `SETRANGE wide 300000 x`,
    'GET wide',
    'ACL GETUSER app',
    'CONFIG GET *',
    'MULTI',
    'LRANGE many 0 1',
    'GET nothing',
    'EXEC',
  ];
  child.stdin.end(`${asked.join('\n')}\n`);
  await once(child, 'close');

  const { sid } = await world.recording();
  const all = await world.statements(sid);
  const samples = all.map(({ what, sample }) => [
    what,
    sample && [sample.columns, sample.rows.slice(0, 3), sample.cut],
  ]);
  expect(samples).toEqual([
    ['RPUSH', [['value'], [['200']], false]],
    ['LRANGE', [['value'], [['row-0'], ['row-1'], ['row-2']], true]],
    ['HSET', [['value'], [['2']], false]],
    ['HGETALL', [['value'], [['a'], ['1'], ['b']], false]],
    ['GET', [['value'], [[null]], false]],
    [
      'HGETALL',
      [
        ['key', 'value'],
        [
          ['a', '1'],
          ['b', '\\x00ff'],
        ],
        false,
      ],
    ],
    ['SETRANGE', [['value'], [['300001']], false]],
    ['GET', [['value'], [[`\\x${'00'.repeat(64)}`]], true]],
    ['ACL', undefined],
    ['CONFIG', undefined],
    ['MULTI', undefined],
    ['LRANGE', undefined],
    ['GET', undefined],
    ['EXEC', [['value'], [['["row-0", "row-1"]'], [null]], false]],
  ]);
  expect(all[1]?.sample?.rows).toHaveLength(50);
  expect(all.map(({ answer }) => answer?.code)).toEqual(all.map(() => ''));
  expect(JSON.stringify(await world.items(sid))).not.toContain(REDIS_PASSWORD);
});

test('MongoDB: commands, each with its own answer', async () => {
  const mongodb = await startStubMongodb({ app: 'a secret of the shop' });
  const world = await start(mongodb, {
    ...{ protocol: 'mongodb', database: 'shop', dbNames: ['shop'], dbUsers: ['app'], password: 'a secret of the shop' },
  });
  const { port } = await world.tunnel();
  const client = await new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`).connect();
  await client.db('shop').collection('orders').insertOne({ purple: 1 });
  await client.close();

  // The driver has a connection of its own for watching the server.
  await expect
    .poll(
      async () => {
        const { recordings } = await world.all();
        const texts: string[] = [];
        for (const { sid, playable } of recordings)
          if (playable) for (const { what, text = '' } of await world.statements(sid)) texts.push(`${what} ${text}`);
        return texts.join('\n');
      },
      { timeout: 20_000 },
    )
    .toMatch(/^insert .*purple/m);
});

test('MongoDB: a sample of each answer, and none of secrets, where a role says so', async () => {
  const mongodb = await startStubMongodb({ app: 'a secret of the shop' });
  mongodb.store.documents('shop', 'orders').push(...Array.from({ length: 120 }, (_, n) => ({ n, text: `row ${n}` })));
  mongodb.store.documents('shop', 'system.users').push({ user: 'eve', storedKey: 'hush-hush' });
  const world = await start(mongodb, {
    ...{ protocol: 'mongodb', database: 'shop', dbNames: ['shop'], dbUsers: ['app'], password: 'a secret of the shop' },
  });
  await makeRole(world.admin, 'as-recorded', '{options: {record_session: {db_results: sample}}}');
  await world.gateway.setRoles('ann', ['dev', 'as-recorded']);
  const { port } = await world.tunnel();
  const client = await new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`).connect();
  const db = client.db('shop');
  expect(await db.collection('orders').find().toArray()).toHaveLength(120);
  await db.collection('orders').updateOne({ n: 1 }, { $set: { text: 'changed' } });
  expect(await db.collection('system.users').find().toArray()).toHaveLength(1);
  await db.command({ createUser: 'eve', pwd: 'hush-hush', roles: [] });
  await client.close();

  // The driver has a connection of its own for watching the server.
  const sampled = async () => {
    const { recordings } = await world.all();
    const all: unknown[] = [];
    for (const { sid, playable } of recordings)
      if (playable)
        for (const { what, sample } of await world.statements(sid))
          if (what !== 'endSessions')
            all.push([
              what,
              sample && [sample.columns, sample.rows.length, sample.rows[1] ?? sample.rows[0], sample.cut],
            ]);
    return all;
  };
  await expect.poll(sampled, { timeout: 20_000 }).toEqual([
    ['find', [['document'], 50, ['{"n": 1, "text": "row 1"}'], true]],
    ['getMore', [['document'], 19, ['{"n": 102, "text": "row 102"}'], false]],
    ['update', [['document'], 1, [expect.stringContaining('"nModified": 1')], false]],
    ['find', undefined],
    ['createUser', undefined],
  ]);
  const { recordings } = await world.all();
  for (const { sid, playable } of recordings)
    if (playable) expect(JSON.stringify(await world.items(sid))).not.toContain('hush-hush');
});

test('SQL Server: statements, what failed, and a sample of each result where a role says so', async () => {
  const world = await start(await startStubSqlserver({ app: 'x' }), {
    ...{ protocol: 'sqlserver', database: 'shop', dbNames: ['shop'], dbUsers: ['app'], password: 'x' },
  });
  await makeRole(world.admin, 'as-recorded', '{options: {record_session: {db_results: sample}}}');
  await world.gateway.setRoles('ann', ['dev', 'as-recorded']);
  const { port } = await world.tunnel();
  const client = await PlainSqlserver.open(connect(port, '127.0.0.1'));
  await client.run('select many 200');
  await client.run("alter login eve with password = N'hush-hush'");
  await expect(client.run('raiserror')).rejects.toThrow('50000');
  await expect(client.run('use private')).rejects.toThrow('916');
  client.drop();
  await client.over;

  const { sid } = await world.recording();
  expect(await told(world, sid)).toEqual([
    ['batch', 'select many 200', undefined, ''],
    ['batch', "alter login eve with password = N'***'", undefined, ''],
    ['batch', 'raiserror', undefined, '50000'],
    ['batch', 'use private', undefined, '916'],
  ]);
  const samples = (await world.statements(sid)).flatMap(({ sample }) => sample ?? []);
  expect(samples).toHaveLength(1);
  expect(samples[0]).toMatchObject({ columns: ['word'], cut: true });
  expect(samples[0]?.rows).toHaveLength(50);
  expect(samples[0]?.rows[1]).toEqual(['row 1 of many']);
});
