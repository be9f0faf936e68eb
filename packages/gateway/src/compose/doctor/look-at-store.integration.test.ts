/** PostgreSQL as `doctor` sees it with the gateway stopped, and what the running gateway says of it; the iam tables there too. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../platform/std/log.ts';
import { Secret } from '../../platform/std/secret.ts';
import { openStorage } from '../../platform/storage/open-storage.ts';
import { createIamJoins } from '../../reach/agents/iam/iam-joins.ts';
import { LOOK_AT_STORE, LOOK_AT_STORE_CLOCK } from './inside.ts';
import { lookAtClosedStore } from './look-at-store.ts';
import { type InsideDeps, insideOperations } from './look-inside.ts';

let postgres: TestPostgres;
let folder: string;
let url: string;
beforeAll(async () => {
  postgres = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-doctor-store-'));
  url = await postgres.createDatabase();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const look = (at: string) => lookAtClosedStore({ dataDir: folder, storage: { url: new Secret(at) } });

async function asOwner(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

test('empty, in use, closed to writing, and dead; a password is never told', async () => {
  expect(await look(url)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^the database at '\S+' is empty$/),
    next: 'the first start fills it: gatehouse start',
  });

  const storage = await openStorage({ url, dataDir: folder, log: silentLog, now: Date.now });
  const config = { dataDir: folder, recordings: { mode: 'off' } } as unknown as InsideDeps['config'];
  const deps = { config, storage, origin: () => '', ports: () => ({ web: 0, ssh: undefined, mysql: undefined }) };
  const inside = (now: () => number) => insideOperations({ ...deps, now });
  try {
    expect(await look(url)).toMatchObject({ ok: true, message: expect.stringMatching(/answers and can be written$/) });
    expect(await inside(Date.now)[LOOK_AT_STORE]?.()).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^PostgreSQL takes what is written; \d+ MB are free/),
    });
    const clock = (await inside(() => Date.now() - 3_600_000)[LOOK_AT_STORE_CLOCK]?.()) ?? {};
    expect(clock).toEqual({ aheadMs: expect.closeTo(3_600_000, -4) });
  } finally {
    await storage.close();
  }

  await asOwner(
    "create role reader login password 'hush-hush'",
    'grant select on all tables in schema public to reader',
  );
  const reader = new URL(url);
  reader.username = 'reader';
  reader.password = 'hush-hush';
  const refused = await look(reader.href);
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('permission denied for table meta') });

  const nowhere = new URL(reader);
  nowhere.port = '1';
  const dead = await look(nowhere.href);
  expect(dead).toMatchObject({
    ok: false,
    message: expect.stringContaining('ECONNREFUSED'),
    next: 'look at storage.url, and whether PostgreSQL runs',
  });
  expect(JSON.stringify([refused, dead])).not.toContain('hush-hush');
});

test('a challenge is used once by all gateways of one store', async () => {
  const storage = await openStorage({ url, dataDir: folder, log: silentLog, now: Date.now });
  try {
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return new Response('{}', { status: 403 });
    };
    const gateways = [0, 1].map(() => createIamJoins({ db: storage.db, fetch, endpoint: undefined, now: Date.now }));
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
    const scope = `AKIAEXAMPLE0000000001/${date.slice(0, 8)}/us-east-1/sts/aws4_request`;
    const names = 'content-type;host;x-amz-date;x-gatehouse-challenge';
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${'0'.repeat(64)}`;
    const fields = { nonce: 'n', token: 't', name: 'x', audience: 'a', key: 'k' };

    const outcomes = await Promise.all(
      [...gateways, ...gateways, ...gateways].map((each) =>
        each.prove({ allow: [] }, fields, { host: 'sts.amazonaws.com', date, authorization }).catch(String),
      ),
    );

    expect(asked).toBe(1);
    expect(outcomes.filter((told) => String(told).includes('was used before'))).toHaveLength(5);
  } finally {
    await storage.close();
  }
});
