import { freePort } from '@gatehouse/testkit/free-port';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { type SilentProxy, startSilentProxy } from '@gatehouse/testkit/silent-proxy';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { openChangeFeed } from '../../change-feed/change-feed.ts';
import { publish } from '../../change-feed/publish.ts';
import { silentLog } from '../../std/log.ts';
import { isStoreDown } from '../errors.ts';
import { openStorage } from '../open-storage.ts';
import { withDeadline } from '../query-deadline.ts';
import type { Storage } from '../storage.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function open(url: string): Promise<Storage> {
  const storage = await openStorage({ url, dataDir: openTestFolder(), log: silentLog, now: Date.now });
  onTestFinished(() => storage.close());
  return storage;
}

async function openBehindProxy(): Promise<{ storage: Storage; other: Storage; proxy: SilentProxy }> {
  const url = await postgres.createDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await startSilentProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.close());
  return { proxy, storage: await open(proxy.through(url)), other: await open(url) };
}

const tell = ({ db }: Storage, id: string) => db.transaction().execute((tx) => publish(tx, { topic: 'lock', id }));

async function follow(storage: Storage) {
  const feed = await openChangeFeed({ storage, log: silentLog, now: Date.now });
  onTestFinished(() => feed.close());
  const heard: string[] = [];
  feed.subscribe(['lock'], { change: ({ id }) => void heard.push(id), gap: () => void heard.push('gap') });
  return { feed, heard };
}

test('a lock is heard within seconds of a cut that nobody was told of, and the feed is never silent for long', async () => {
  const { storage, other, proxy } = await openBehindProxy();
  const { feed, heard } = await follow(storage);
  await tell(other, 'before');
  await vi.waitFor(() => expect(heard).toEqual(['before']), { timeout: 10_000 });

  expect(proxy.swallowOpen()).toBeGreaterThan(1);
  await tell(other, 'after');

  await vi.waitFor(() => expect(heard).toEqual(['before', 'after']), { timeout: 30_000 });
  expect(feed.silentMs()).toBeLessThan(SOON_MS);
});

test('after one connection was lost the others that were open are not trusted either', async () => {
  const { storage, proxy } = await openBehindProxy();
  const ask = () => sql<{ one: number }>`select 1 as one`.execute(storage.db);
  await Promise.all(Array.from({ length: 8 }, ask));

  proxy.swallowOpen();
  const lost = await withDeadline(300, ask).catch((error: unknown) => error);
  const started = performance.now();
  const all = await Promise.all(Array.from({ length: 8 }, ask));

  expect(isStoreDown(lost)).toBe(true);
  expect(all.map(({ rows }) => rows[0]?.one)).toEqual(Array(8).fill(1));
  expect(performance.now() - started).toBeLessThan(SOON_MS);
});

test('a transaction whose connection went silent fails, and its place in the pool is free again', async () => {
  const { storage, proxy } = await openBehindProxy();

  const lost = await storage.db
    .transaction()
    .execute(async (tx) => {
      await publish(tx, { topic: 'lock', id: 'x' });
      proxy.swallowOpen();
      await withDeadline(300, () => publish(tx, { topic: 'lock', id: 'y' }));
    })
    .catch((error: unknown) => error);

  expect(isStoreDown(lost)).toBe(true);
  for (let count = 0; count < 30; count++) await sql`select 1`.execute(storage.db);
});

test('the database ends what takes too long by itself; long work has a longer time, and leaves none to others', async () => {
  const { storage } = await openBehindProxy();
  const allowed = async () => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(storage.db);
    return rows[0]?.statement_timeout;
  };

  expect(await allowed()).toBe('20s');
  expect(await withDeadline(60_000, allowed)).toBe('1min');
  expect(await withDeadline(3_000, allowed)).toBe('20s');
  expect(await allowed()).toBe('20s');
  const late = await withDeadline(200, () => sql`select pg_sleep(1)`.execute(storage.db)).catch((error) => error);
  expect(isStoreDown(late)).toBe(true);
});

test('while nothing answers the feed says for how long, and it is well again by itself', async () => {
  const { storage, other, proxy } = await openBehindProxy();
  const { feed, heard } = await follow(storage);

  proxy.swallowAll();
  await vi.waitFor(() => expect(feed.silentMs()).toBeGreaterThan(3_000), { timeout: 20_000, interval: 100 });
  await tell(other, 'meanwhile');
  proxy.answerAgain();

  await vi.waitFor(() => expect(heard).toEqual(['meanwhile']), { timeout: 20_000 });
  expect(feed.silentMs()).toBeLessThan(SOON_MS);
});

test('a gateway that has lost its database says so, lets nobody in meanwhile, and is well again by itself', async () => {
  const url = await postgres.createDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await startSilentProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.close());
  const diagnostics = await freePort();
  const gateway = await startGateway({
    GATEHOUSE_STORAGE_URL: proxy.through(url),
    GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagnostics}`,
  });
  onTestFinished(() => gateway.stop());
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${diagnostics}/readyz`);
    return { status: response.status, ...((await response.json()) as { checks: Record<string, { reason?: string }> }) };
  };
  const call = async () => {
    const response = await fetch(`${gateway.origin}/v1/webapi/user/status`);
    return { status: response.status, text: await response.text() };
  };
  expect((await ready()).status).toBe(200);
  expect((await call()).status).toBe(403);

  proxy.swallowAll();
  await vi.waitFor(async () => expect((await call()).status).toBe(503), { timeout: 30_000, interval: 250 });
  const { status, checks } = await ready();

  expect(status).toBe(503);
  expect(checks.changes?.reason).toContain('the gateway has lost its database');
  expect((await call()).text).toContain('the gateway has lost its database');
  const metrics = await (await fetch(`http://127.0.0.1:${diagnostics}/metrics`)).text();
  expect(Number(/^gatehouse_change_feed_silent_seconds (\S+)/m.exec(metrics)?.[1])).toBeGreaterThan(6);
  proxy.answerAgain();
  await vi.waitFor(async () => expect((await ready()).status).toBe(200), { timeout: 30_000, interval: 250 });
  expect((await call()).status).toBe(403);
});
