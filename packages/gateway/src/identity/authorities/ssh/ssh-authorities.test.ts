import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { type ChangeFeed, openChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { parseCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { publicKeyLine } from '../../../platform/crypto/ssh/public-key.ts';
import { openSecretBox } from '../../../platform/secrets/open-secret-box.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { createSshAuthorities, type SshAuthorities } from './create-ssh-authorities.ts';

const DAY = 86_400_000;
let time = Date.UTC(2026, 0, 1);
const now = () => time;
const audit = createAudit({ now, clusterName: 'main', chain: 'gateway' });
let storage: Storage;
let secrets: SecretBox;
let feeds: ChangeFeed[];
let gateways: SshAuthorities[];

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
    gateways.push(createSshAuthorities({ db: storage.db, secrets, feed, audit, log: silentLog, now }));
  }
});
afterEach(async () => {
  for (const gateway of gateways) gateway.close();
  for (const feed of feeds) await feed.close();
  await storage.close();
});

const WANTED = { login: 'root', user: 'ann', session: 's1', ttlMs: 60_000 };
const settled = () => Promise.all(feeds.map((feed) => feed.settled()));
async function rotate(gateway: SshAuthorities, overlapMs: number) {
  const made = await storage.db.transaction().execute((tx) => gateway.rotate(tx, overlapMs));
  gateway.refresh();
  await settled();
  return made;
}
const signers = async (gateway: SshAuthorities) =>
  (await gateway.mint(WANTED)).certificates.map(({ blob }) => publicKeyLine(parseCertificate(blob).authority));

test('gateways that start together agree on one authority', async () => {
  const [first, second] = await Promise.all(gateways.map((gateway) => gateway.list()));

  expect(first).toHaveLength(1);
  expect(first).toEqual(second);
});

test('the private half is sealed, and nothing of it is in the open', async () => {
  await gateways[0]!.list();

  const rows = await storage.db.selectFrom('secret').selectAll().where('name', 'like', 'ssh authority %').execute();
  expect(rows).toHaveLength(1);
  expect(rows[0]!.sealed).toMatch(/^v1\./);
  expect(JSON.stringify(await storage.db.selectFrom('ssh_authority').selectAll().execute())).not.toContain('PRIVATE');
});

test('a row whose public half was exchanged is not used', async () => {
  await gateways[0]!.list();
  const foreign = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  await storage.db.updateTable('ssh_authority').set({ public_key: foreign }).execute();

  await expect(gateways[1]!.list()).rejects.toThrow('does not fit its private key');
});

describe('credentials', () => {
  test('are for one login, one person, one session and a short time', async () => {
    const { certificates } = await gateways[0]!.mint({ ...WANTED, sourceAddresses: ['10.0.0.1', '10.1.0.0/16'] });

    expect(certificates).toHaveLength(1);
    expect(parseCertificate(certificates[0]!.blob)).toMatchObject({
      kind: 'user',
      keyId: 'user=ann session=s1',
      principals: ['root'],
      validAfter: time - 60_000,
      validBefore: time + 60_000,
      criticalOptions: ['source-address'],
      extensions: ['permit-pty'],
    });
  });

  test('each have a key of their own', async () => {
    const [one, two] = await Promise.all([gateways[0]!.mint(WANTED), gateways[0]!.mint(WANTED)]);

    expect(one.key.equals(two.key)).toBe(false);
  });

  test('cannot be had for no login, for a strange one, or for long', async () => {
    for (const login of ['', '-oProxyCommand', 'a b', 'root\n'])
      await expect(gateways[0]!.mint({ ...WANTED, login })).rejects.toThrow('is no login name');
    await expect(gateways[0]!.mint({ ...WANTED, ttlMs: 0 })).rejects.toThrow();
    await expect(gateways[0]!.mint({ ...WANTED, ttlMs: 2 * DAY })).rejects.toThrow();
  });

  test('name their user in one word, so that nobody can write into the log of a server', async () => {
    const { certificates } = await gateways[0]!.mint({ ...WANTED, user: 'ann session=forged\nroot' });

    expect(parseCertificate(certificates[0]!.blob).keyId).toBe('user=ann%20session%3Dforged%0Aroot session=s1');
  });
});

describe('rotation', () => {
  test('offers the new authority first and the leaving one second, on every gateway, until the overlap is over', async () => {
    const [old] = await gateways[0]!.list();
    await gateways[1]!.list();

    const made = await rotate(gateways[0]!, 7 * DAY);

    for (const gateway of gateways) expect(await signers(gateway)).toEqual([made.publicKey, old!.publicKey]);
    expect(await gateways[1]!.list()).toMatchObject([
      { publicKey: made.publicKey, leaves: undefined },
      { publicKey: old!.publicKey, leaves: time + 7 * DAY },
    ]);
    time += 7 * DAY;
    for (const gateway of gateways) expect(await signers(gateway)).toEqual([made.publicKey]);
  });

  test('deletes the private half when the overlap is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const sweeping = createSshAuthorities({ db: storage.db, secrets, feed: feeds[0]!, audit, log: silentLog, now });
    onTestFinished(() => sweeping.close());
    await sweeping.list();
    const made = await rotate(sweeping, DAY);
    const kept = () => storage.db.selectFrom('secret').select('name').where('name', 'like', 'ssh %').execute();
    expect(await kept()).toHaveLength(2);
    time += DAY;

    vi.advanceTimersByTime(60_000);

    await vi.waitFor(async () => expect(await kept()).toEqual([{ name: `ssh authority ${made.id}` }]));
    expect(await storage.db.selectFrom('ssh_authority').select('id').execute()).toEqual([{ id: made.id }]);
  });

  test('without an overlap leaves nothing of the keys before', async () => {
    await gateways[0]!.list();
    await rotate(gateways[0]!, 7 * DAY);

    const made = await rotate(gateways[0]!, 0);

    expect(await signers(gateways[1]!)).toEqual([made.publicKey]);
    expect(await storage.db.selectFrom('secret').select('name').where('name', 'like', 'ssh %').execute()).toHaveLength(
      1,
    );
  });

  test('never makes an older key live longer, and stops where servers would count the tries', async () => {
    await gateways[0]!.list();
    await rotate(gateways[0]!, 7 * DAY);
    await rotate(gateways[0]!, DAY);

    expect((await gateways[0]!.list()).map(({ leaves }) => leaves)).toEqual([undefined, time + DAY, time + DAY]);
    await expect(rotate(gateways[0]!, DAY)).rejects.toThrow('2 earlier authorities are still leaving');
    await rotate(gateways[0]!, 0);
    expect(await gateways[0]!.list()).toHaveLength(1);
  });
});

async function nextGateway() {
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  feeds.push(feed);
  const error = vi.fn();
  const next = createSshAuthorities({ db: storage.db, secrets, feed, audit, log: { ...silentLog, error }, now });
  gateways.push(next);
  return { next, error };
}
const lostEvents = () => storage.db.selectFrom('event').select('data').where('code', '=', 'GH361E').execute();

test('an authority that vanished from the store is made anew, and the audit log tells it once', async () => {
  await gateways[0]!.list();
  expect(await lostEvents()).toEqual([]);
  await storage.db.deleteFrom('ssh_authority').execute();
  const { next, error } = await nextGateway();

  expect(await next.list()).toHaveLength(1);
  expect(await (await nextGateway()).next.list()).toHaveLength(1);

  expect(error).toHaveBeenCalledWith(
    { purpose: 'target' },
    expect.stringContaining('an SSH authority is gone from the store'),
  );
  expect(await lostEvents()).toEqual([{ data: expect.stringContaining('SSH authority') }]);
});

test('an authority that was made before anybody noted it is missed as well', async () => {
  await gateways[0]!.list();
  await storage.db.deleteFrom('meta').where('key', '=', 'ssh-authority.made').execute();
  await gateways[1]!.list();
  await storage.db.deleteFrom('ssh_authority').execute();

  await (await nextGateway()).next.list();

  expect(await lostEvents()).toHaveLength(1);
});
