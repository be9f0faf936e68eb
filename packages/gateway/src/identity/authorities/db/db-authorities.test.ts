import { X509Certificate } from 'node:crypto';
import { DB_PURPOSES, type DbPurpose } from '@gatehouse/contract/identity/db-authorities';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { type ChangeFeed, openChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { openSecretBox } from '../../../platform/secrets/open-secret-box.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { createDbAuthorities, type DbAuthorities } from './create-db-authorities.ts';

const DAY = 86_400_000;
let time = Date.UTC(2026, 0, 1);
const now = () => time;
const audit = createAudit({ now, clusterName: 'main', chain: 'gateway' });
let storage: Storage;
let secrets: SecretBox;
let feeds: ChangeFeed[];
let gateways: DbAuthorities[];
const one = () => gateways[0]!;
const two = () => gateways[1]!;

beforeEach(async () => {
  time = Date.UTC(2026, 0, 1);
  storage = await openMemoryStorage(now);
  const key = testKey();
  secrets = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  feeds = [];
  gateways = [];
  for (let count = 0; count < 2; count++) {
    const feed = await openChangeFeed({ storage, log: silentLog, now });
    feeds.push(feed);
    gateways.push(
      createDbAuthorities({ db: storage.db, secrets, feed, audit, clusterName: 'main', log: silentLog, now }),
    );
  }
});
afterEach(async () => {
  for (const gateway of gateways) gateway.close();
  for (const feed of feeds) await feed.close();
  await storage.close();
});

async function rotate(gateway: DbAuthorities, purpose: DbPurpose, announceMs: number, overlapMs: number) {
  const rotation = await gateway.rotate({ purpose, announceMs, overlapMs });
  const made = await storage.db.transaction().execute(rotation);
  gateway.refresh();
  await Promise.all(feeds.map((feed) => feed.settled()));
  return made;
}

async function signerOf(gateway: DbAuthorities, purpose: DbPurpose): Promise<string | undefined> {
  const { cert } = await gateway.mint(purpose, { subject: { name: 'app' }, ttlMs: 60_000 });
  const leaf = new X509Certificate(cert);
  return (await gateway.list()).find(({ certificate }) => leaf.checkIssued(new X509Certificate(certificate)))?.id;
}

const idsOf = async (gateway: DbAuthorities, purpose: DbPurpose) =>
  (await gateway.list()).filter((each) => each.purpose === purpose).map(({ id }) => id);

test('gateways that start together agree on one authority for each purpose, and no two have a key in common', async () => {
  const [first, second] = await Promise.all(gateways.map((gateway) => gateway.list()));

  expect(first?.map(({ purpose }) => purpose).sort()).toEqual([...DB_PURPOSES]);
  expect(second?.map(({ id }) => id).sort()).toEqual(first?.map(({ id }) => id).sort());
  const keys = first?.map(({ certificate }) =>
    new X509Certificate(certificate).publicKey.export({ format: 'der', type: 'spki' }).toString('hex'),
  );
  expect(new Set(keys).size).toBe(3);
});

test('what one signs is not of another', async () => {
  const { cert } = await one().mint('db', { subject: { name: 'db.inside' }, names: ['db.inside'], ttlMs: DAY });
  const leaf = new X509Certificate(cert);
  const signedBy = async (purpose: DbPurpose) =>
    (await one().trusted(purpose)).some((pem) => leaf.verify(new X509Certificate(pem).publicKey));

  expect(await Promise.all(DB_PURPOSES.map(signedBy))).toEqual([true, false, false]);
});

test('a new one is announced, then signs, and the one before leaves; all gateways follow', async () => {
  const [before] = await idsOf(one(), 'db_client');
  const others = await Promise.all([signerOf(one(), 'db'), signerOf(one(), 'db_door')]);
  const made = await rotate(one(), 'db_client', 10 * DAY, 2 * DAY);

  expect(await idsOf(two(), 'db_client')).toEqual([made.id, before]);
  expect(await signerOf(two(), 'db_client')).toBe(before);
  time += 10 * DAY;
  expect(await signerOf(two(), 'db_client')).toBe(made.id);
  expect(await two().trusted('db_client')).toHaveLength(2);
  time += 2 * DAY;
  expect(await idsOf(two(), 'db_client')).toEqual([made.id]);
  expect(await Promise.all([signerOf(two(), 'db'), signerOf(two(), 'db_door')])).toEqual(others);
});

test('without an overlap the one before is gone at once, with its private key', async () => {
  const [before] = await idsOf(one(), 'db_door');
  const made = await rotate(one(), 'db_door', 0, 0);

  expect(await idsOf(two(), 'db_door')).toEqual([made.id]);
  const kept = await storage.db.selectFrom('secret').select('name').execute();
  expect(kept.map(({ name }) => name)).not.toContain(`db authority ${before}`);
});

test('while one is announced no second one is; and not too many leave at once', async () => {
  await rotate(one(), 'db_client', DAY, DAY);
  await expect(rotate(two(), 'db_client', DAY, DAY)).rejects.toThrow('announced already');

  await rotate(one(), 'db', 0, DAY);
  await rotate(one(), 'db', 0, DAY);
  await expect(rotate(one(), 'db', 0, DAY)).rejects.toThrow('still leaving');
  await rotate(one(), 'db', 0, 0);
});

test('private keys lie sealed, and a certificate that does not fit its key is not used', async () => {
  await one().list();
  const rows = await storage.db.selectFrom('db_authority').selectAll().execute();
  const held = await storage.db.selectFrom('secret').selectAll().execute();
  expect(JSON.stringify([rows, held])).not.toContain('PRIVATE KEY');

  const [first, other] = rows;
  await storage.db
    .updateTable('db_authority')
    .set({ certificate: other!.certificate })
    .where('id', '=', first!.id)
    .execute();
  two().refresh();
  await expect(two().list()).rejects.toThrow('does not fit its private key');
});

test('one that is gone from the store is made anew, and that is told', async () => {
  await one().list();
  await storage.db.deleteFrom('db_authority').where('purpose', '=', 'db_client').execute();
  one().refresh();
  await one().list();
  const events = await storage.db.selectFrom('event').select('code').execute();

  expect(events).toEqual([{ code: 'GH361E' }]);
});
