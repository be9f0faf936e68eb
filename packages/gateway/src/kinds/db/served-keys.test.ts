import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createServedKeys } from './served-keys.ts';

const now = () => 1_000_000;

/** Two gateways on one database. */
async function twoGateways() {
  const storage = await openMemoryStorage();
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  const open = () => createServedKeys({ db: storage.db, feed, log: silentLog, now });
  const gateways = [open(), open()] as const;
  onTestFinished(async () => {
    for (const { close } of gateways) close();
    await feed.close();
    await storage.close();
  });
  const written = () => storage.db.selectFrom('change').selectAll().where('topic', '=', 'db-cancel').execute();
  return { gateways, feed, written };
}

test('a key that came to another gateway cancels where its session is', async () => {
  const { gateways, feed, written } = await twoGateways();
  const [key, own] = [randomBytes(8), randomBytes(8)];
  const cancelled: string[] = [];
  gateways[0].add(key, async () => void cancelled.push('there'));
  gateways[1].add(own, async () => void cancelled.push('here'));

  await gateways[1].cancel(own);
  expect(await written()).toEqual([]);
  await gateways[1].cancel(key);
  await feed.settled();

  expect(cancelled).toEqual(['here', 'there']);
  expect(JSON.stringify(await written())).not.toContain(key.toString('hex'));
});

test('a session that is over is not cancelled any more, and a failing one disturbs nobody', async () => {
  const { gateways, feed } = await twoGateways();
  const [over, failing, good] = [randomBytes(8), randomBytes(8), randomBytes(8)];
  const cancelled: string[] = [];
  gateways[0].add(over, async () => void cancelled.push('over'))();
  gateways[0].add(failing, () => Promise.reject(new Error('the server is gone')));
  gateways[0].add(good, async () => void cancelled.push('good'));

  for (const key of [over, failing, good]) await gateways[1].cancel(key);
  await feed.settled();

  expect(cancelled).toEqual(['good']);
});

test('who names keys without end does not fill the store', async () => {
  const { gateways, written } = await twoGateways();

  for (let at = 0; at < 300; at++) await gateways[1].cancel(randomBytes(8));

  expect((await written()).length).toBeLessThanOrEqual(100);
});
