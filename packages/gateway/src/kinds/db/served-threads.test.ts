import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createServedThreads } from './served-threads.ts';

const now = () => 1_000_000;

/** Two gateways on one database. */
async function twoGateways() {
  const storage = await openMemoryStorage();
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  const open = () => createServedThreads({ db: storage.db, feed, log: silentLog, now });
  const gateways = [open(), open()] as const;
  onTestFinished(async () => {
    for (const { close } of gateways) close();
    await feed.close();
    await storage.close();
  });
  const written = () => storage.db.selectFrom('change').selectAll().where('topic', '=', 'db-thread-asked').execute();
  return { gateways, written };
}

test('a number leads to the thread for its owner alone, until the session is over', () => {
  const threads = createServedThreads();
  const own = threads.next();
  const over = threads.add(own, { owner: 'ann', thread: 7 });

  expect(own).toBeGreaterThanOrEqual(0x4000_0000);
  expect(own).toBeLessThanOrEqual(0x7fff_ffff);
  expect([threads.threadOf(own, 'ann'), threads.threadOf(own, 'bob'), threads.threadOf(7, 'ann')]).toEqual([
    ...[7, undefined, undefined],
  ]);
  expect(threads.askOthers(own + 1, 'ann')).toBe(undefined);
  over();
  expect(threads.threadOf(own, 'ann')).toBe(undefined);
});

test('a number of a session at another gateway is asked for there, by its owner alone', async () => {
  const { gateways, written } = await twoGateways();
  const [there, here] = gateways;
  const own = there.next();
  const over = there.add(own, { owner: 'ann of the shop', thread: 77 });

  expect(await here.askOthers(own, 'ann of the shop')).toBe(77);
  expect(await here.askOthers(own, 'bob')).toBe(undefined);
  over();
  expect(await here.askOthers(own, 'ann of the shop')).toBe(undefined);
  expect(JSON.stringify(await written())).not.toMatch(new RegExp(`ann of|${own}`));
});

test('what cannot be one, or is known to be of somebody else, is asked of nobody', async () => {
  const { gateways, written } = await twoGateways();
  const [, here] = gateways;
  const own = here.next();
  here.add(own, { owner: 'bob', thread: 7 });

  for (const named of [0, 77, 0x3fff_ffff, 0x8000_0000, own]) expect(here.askOthers(named, 'ann')).toBe(undefined);
  expect(await written()).toEqual([]);
});

test('who names numbers without end does not fill the store, and keeps nobody else from asking', async () => {
  const { gateways, written } = await twoGateways();
  const [there, here] = gateways;
  const own = there.next();
  there.add(own, { owner: 'ann', thread: 7 });

  await Promise.all(Array.from({ length: 300 }, (_, n) => here.askOthers(0x4000_0000 + n, 'bob')));
  expect((await written()).length).toBeLessThanOrEqual(20);
  expect(await here.askOthers(own, 'ann')).toBe(7);
});
