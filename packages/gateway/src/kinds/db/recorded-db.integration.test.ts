/** Sessions with a real PostgreSQL, as their recordings tell them. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { EditorPage } from '../../../testing/db/editor-page.ts';
import { type RecordedWorld, startRecordedWorld } from '../../../testing/db/recorded-world.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';

let postgres: SecurePostgres;
let world: RecordedWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
afterEach(() => world?.close());

async function start(role = '{}', recordings?: Parameters<typeof startRecordedWorld>[1]): Promise<RecordedWorld> {
  const { port, ca, database } = postgres;
  world = await startRecordedWorld(
    { protocol: 'postgres', port, ca, database, dbNames: [database], dbUsers: ['by_scram'], password: PASSWORD },
    recordings,
  );
  await makeRole(world.admin, 'as-recorded', `{options: {record_session: ${role}}}`);
  await world.gateway.setRoles('ann', ['dev', 'as-recorded']);
  return world;
}

async function connected(): Promise<Client> {
  const { port } = await world.tunnel();
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

const codes = async () => (await world.gateway.events()).map(({ code }) => code);
const ended = async () => (await world.gateway.events()).find(({ code }) => code === 'TDB01I')?.data;

/** Which event tells of a statement of the recording. */
async function toldByNumber(): Promise<Map<number, string>> {
  const told = (await world.gateway.events()).flatMap(({ code, data }) => {
    const { recorded } = (data.statement ?? {}) as { recorded?: number };
    return recorded === undefined ? [] : [[recorded, [code, data.db_query].filter(Boolean).join(' ')] as const];
  });
  return new Map(told);
}

test('each statement is recorded with what came of it, without secrets, and can be found and taken out', async () => {
  await start();
  const client = await connected();
  await client.query('select 1 as one');
  await client.query({ text: 'select $1::int + 1 as n', values: [41] });
  await client.query({ name: 'again', text: 'select $1::text as again', values: ['first'] });
  await client.query({ name: 'again', text: 'select $1::text as again', values: ['second'] });
  await expect(client.query('selct purple')).rejects.toThrow(/syntax error/);
  await client.query("create role recorded_one password 'hunter2'").catch(() => {});
  await client.end();

  const recording = await world.recording();
  expect(recording).toMatchObject({
    ...{ kind: 'db', login: 'by_scram', database: postgres.database, protocol: 'postgres' },
    ...{ owner: 'ann', resource: { name: 'shop' }, playable: true },
  });
  const { sid } = recording;
  const runs = (await world.statements(sid)).filter(({ what }) => what !== 'prepare');
  expect(runs.map(({ text, values, answer }) => [text, values, answer?.rows, answer?.code])).toEqual([
    ['select 1 as one', undefined, 1, ''],
    ['select $1::int + 1 as n', ['41'], 1, ''],
    ['select $1::text as again', ['first'], 1, ''],
    ['select $1::text as again', ['second'], 1, ''],
    ['selct purple', undefined, 0, '42601'],
    ["create role recorded_one password '***'", undefined, 0, expect.any(String)],
  ]);
  expect(runs[0]).toMatchObject({ backend: expect.any(Number), answer: { tag: 'SELECT 1', took: expect.any(Number) } });
  const all = JSON.stringify(await world.items(sid));
  expect(all).not.toContain('"sample"');
  expect(all).not.toContain('hunter2');
  expect((await world.items(sid)).at(-1)).toMatchObject({ type: 'end' });

  const sql = await world.taken(sid, 'sql');
  expect(sql).toContain('select 1 as one\n;\n');
  expect(sql).toContain('-- selct purple\n');
  expect(sql).toContain('$1 = second');
  const lines = (await world.taken(sid, 'jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ n: 1, text: 'select 1 as one', ok: true, rows: 1 });
  expect(lines.find(({ text }) => text === 'selct purple')).toMatchObject({ ok: false, code: '42601' });

  await expect
    .poll(
      async () => {
        const query = { text: 'purple' };
        const { found } = await call(world.auditor.send, recordingRoutes.search, { params: CLUSTER, query });
        return found.map(({ sid: each, hits }) => [each, hits.map(({ line }) => line)]);
      },
      { timeout: 20_000 },
    )
    .toEqual([[sid, ['selct purple', expect.stringContaining('syntax error')].slice(0, 1)]]);
  const verdict = await call(world.auditor.send, recordingUpkeepRoutes.verify, { params: { ...CLUSTER, sid } });
  expect(verdict).toMatchObject({ ok: true });
  const names = { search: `by_scram ${postgres.database}`, kind: 'db' };
  const named = await call(world.auditor.send, recordingRoutes.list, { params: CLUSTER, query: names });
  expect(named.recordings.map((each) => each.sid)).toEqual([sid]);
  await expect.poll(ended).toMatchObject({ sid, session_recording: 'gateway' });
  const told = await toldByNumber();
  expect(runs.map(({ n }) => told.get(n as number))).toEqual([
    'TDB02I select 1 as one',
    ...['TPG02I', 'TPG02I', 'TPG02I'],
    'TDB02W selct purple',
    expect.stringContaining("create role recorded_one password '***'"),
  ]);
});

test('every run is recorded, though the log tells them together; and a long text with its length and hash', async () => {
  await start();
  const client = await connected();
  for (let count = 0; count < 150; count += 1) await client.query('select 2 as two');
  const long = `select '${'x'.repeat(1024 * 1024 + 50)}' as long`;
  await client.query(long);
  await client.end();

  const { sid } = await world.recording();
  const runs = await world.statements(sid);
  expect(runs.filter(({ text }) => text === 'select 2 as two')).toHaveLength(150);
  const cut = runs.at(-1);
  expect(cut).toMatchObject({ length: long.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(cut?.text?.length).toBeLessThanOrEqual(1024 * 1024);
  expect(long.startsWith(cut?.text ?? '-')).toBe(true);
  await expect.poll(ended).toMatchObject({ sid });
  const told = [...(await toldByNumber())].flatMap(([n, text]) => (text === 'TDB02I select 2 as two' ? n : []));
  // The last of them tells of all from the hundredth on.
  expect(told).toEqual([...Array.from({ length: 99 }, (_, index) => index + 1), 150]);
});

test('values are hidden where the record says so', async () => {
  await start();
  await call(world.admin.send, databaseRoutes.update, {
    params: { ...CLUSTER, name: 'shop' },
    body: { values: 'hidden' },
  });
  const client = await connected();
  await client.query({ text: 'select $1::text as secret', values: ['hunter2'] });
  await client.end();

  const { sid } = await world.recording();
  expect((await world.statements(sid)).at(-1)).toMatchObject({ values: ['***'] });
  expect(JSON.stringify(await world.items(sid))).not.toContain('hunter2');
});

test('a sample of each result is recorded where a role says so, and of nothing else', async () => {
  await start('{db_results: sample}');
  const client = await connected();
  await client.query("select n, 'row ' || n as text, null as nothing from generate_series(1, 60) n");
  await client.query({ text: 'select $1::bytea as bytes', values: [Buffer.from([0, 255])] });
  await client.query('select 7 as seven');
  await client.end();

  const { sid } = await world.recording();
  const samples = (await world.statements(sid)).flatMap(({ sample }) => sample ?? []);
  expect(samples).toHaveLength(3);
  expect(samples[0]).toMatchObject({ columns: ['n', 'text', 'nothing'], cut: true });
  expect(samples[0]?.rows).toHaveLength(50);
  expect(samples[0]?.rows[1]).toEqual(['2', 'row 2', null]);
  expect(samples[1]).toMatchObject({ columns: ['bytes'], rows: [['\\x00ff']], cut: false });
  expect(samples[2]).toMatchObject({ columns: ['seven'], rows: [['7']], cut: false });
});

test('the workbench is recorded: all of its connections in one recording, which follows while it is open', async () => {
  await start();
  const page = new EditorPage({ origin: world.origin, who: world.ann });
  const ready = await page.next('ready');
  expect(ready).toMatchObject({ recorded: true });
  await page.run('select 3 as three');

  await expect
    .poll(async () => (await world.statements(ready.sid)).map(({ text }) => text), { timeout: 20_000 })
    .toContain('select 3 as three');
  expect(await world.recording('live')).toMatchObject({ sid: ready.sid, state: 'live', playable: true });
  page.socket.close();
  await world.recording('complete');
  const run = (await world.statements(ready.sid)).find(
    ({ text, what }) => text?.endsWith('three') && what !== 'prepare',
  );
  expect((await toldByNumber()).get(run?.n ?? 0)).toBe('TPG02I');
});

test.each([
  ['a role that says strict', '{db: strict}'],
  ['a default that says strict', '{default: strict}'],
])(
  'strict: with %s, nobody comes in while it cannot be recorded, and hears why in their own program',
  async (_, role) => {
    await start(role);
    writeFileSync(world.folder, 'no folder');

    await expect(connected()).rejects.toThrow(/cannot be recorded, and a role of yours wants it to be/);
    await expect.poll(codes).toContain('GH312E');
    expect(await codes()).not.toContain('TDB00W');
    rmSync(world.folder);
    const { sid } = await world.recording('failed');
    await expect.poll(ended).toMatchObject({ sid });
  },
);

test('a session whose recording has no room left is ended, in the words of its protocol', async () => {
  await start('{}', { mode: 'gateway', retentionDays: 0, maxMegabytes: 0, maxSessionMegabytes: 1 });
  const client = await connected();
  const said: string[] = [];
  const hear = (error: Error) => void said.push(error.message);
  client.on('error', hear);
  // Nothing packs these: each takes its room. It is over in one of them, or in what waits behind them.
  for (let count = 0; count < 3; count += 1)
    await client.query(`select length('${randomBytes(500_000).toString('hex')}')`).catch(hear);
  await client.query('select pg_sleep(600)').catch(hear);

  await expect.poll(() => said.join('\n')).toContain('it was ended: its recording has reached 1 MB');
  await expect.poll(codes).toContain('GH313W');
  await world.recording('complete');
});

test('best effort: where it cannot be recorded, it goes on, and the log says so', async () => {
  await start('{db: best_effort}');
  writeFileSync(world.folder, 'no folder');
  const client = await connected();

  expect((await client.query('select 5 as five')).rows).toEqual([{ five: 5 }]);
  await client.end();
  await expect.poll(codes).toEqual(expect.arrayContaining(['GH312E', 'TDB01I']));
  expect(await ended()).toMatchObject({ session_recording: 'off' });
  rmSync(world.folder);
  expect(await world.recording('failed')).toMatchObject({ playable: false });
});

test('off: where every role says so, nothing is recorded, and the list says so', async () => {
  await start('{db: off}');
  await makeRole(
    world.admin,
    'unrecorded-dev',
    `{allow: {db_labels: {env: dev}, db_users: [by_scram], db_names: ['${postgres.database}']}, options: {record_session: {db: off}}}`,
  );
  await world.gateway.setRoles('ann', ['unrecorded-dev', 'as-recorded']);
  const client = await connected();
  await client.query('select 6 as six');
  await client.end();

  expect(await world.recording('disabled')).toMatchObject({ reason: 'a role turns it off' });
  expect(readdirSync(join(world.folder, '..'))).not.toContain('recordings');
});
