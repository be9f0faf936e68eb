import { verify } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { type ChangeFeed, openChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { openSecretBox } from '../../../platform/secrets/open-secret-box.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { createFederationKeys, type FederationKeys } from './federation-keys.ts';
import { keyFingerprintOf, publicKeyOf } from './key-fingerprint.ts';

const DAY = 86_400_000;
let time = 0;
const now = () => time;
const audit = createAudit({ now, clusterName: 'main', chain: 'gateway' });
let storage: Storage;
let feeds: ChangeFeed[];
let gateways: FederationKeys[];

beforeEach(async () => {
  time = Date.UTC(2026, 0, 1);
  storage = await openMemoryStorage(now);
  const key = testKey();
  const secrets = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  feeds = [];
  gateways = [];
  for (let count = 0; count < 2; count++) {
    const feed = await openChangeFeed({ storage, log: silentLog, now });
    feeds.push(feed);
    gateways.push(createFederationKeys({ db: storage.db, secrets, feed, audit, log: silentLog, now }));
  }
});
afterEach(async () => {
  for (const gateway of gateways) gateway.close();
  for (const feed of feeds) await feed.close();
  await storage.close();
});

async function rotate(gateway: FederationKeys, overlapMs: number) {
  const made = await storage.db.transaction().execute((tx) => gateway.rotate(tx, overlapMs));
  gateway.refresh();
  await Promise.all(feeds.map((feed) => feed.settled()));
  return made;
}

test('gateways that start together agree on one key, whose private half is sealed', async () => {
  const [first, second] = await Promise.all(gateways.map((gateway) => gateway.now()));

  expect(first).toEqual(second);
  expect(first!.next).toBeUndefined();
  expect(keyFingerprintOf(first!.current.publicKey)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
  const rows = await storage.db.selectFrom('secret').selectAll().where('name', 'like', 'federation key %').execute();
  expect(rows.map(({ sealed }) => sealed.startsWith('v1.'))).toEqual([true]);
});

test('a new key is announced, and signs once the overlap is over, on every gateway', async () => {
  const { current } = await gateways[0]!.now();
  const made = await rotate(gateways[0]!, 7 * DAY);

  expect(await gateways[1]!.now()).toMatchObject({ current: { id: current.id }, next: { id: made.id } });
  time += 7 * DAY;
  expect(await gateways[1]!.now()).toMatchObject({ current: { id: made.id }, next: undefined });
  const data = Buffer.from('said');
  expect(verify(null, data, publicKeyOf(made.publicKey), await gateways[1]!.sign(data))).toBe(true);
});

test('a second one is not announced before the first signs, unless at once', async () => {
  await gateways[0]!.now();
  await rotate(gateways[0]!, DAY);

  await expect(rotate(gateways[1]!, DAY)).rejects.toThrow('announced already');
  const made = await rotate(gateways[1]!, 0);
  expect(await gateways[0]!.now()).toMatchObject({ current: { id: made.id }, next: undefined });
  expect(await storage.db.selectFrom('federation_key').select('id').execute()).toEqual([{ id: made.id }]);
});

test('a row whose public half was exchanged is not used', async () => {
  await gateways[0]!.now();
  await storage.db
    .updateTable('federation_key')
    .set({ public_key: 'A'.repeat(43) })
    .execute();
  gateways[0]!.refresh();

  await expect(gateways[0]!.sign(Buffer.from('x'))).rejects.toThrow('does not fit');
});
