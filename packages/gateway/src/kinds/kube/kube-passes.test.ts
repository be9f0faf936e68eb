import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { endSignIn, insertSignIn, type SignIn } from '../../identity/stores/sign-in-store.ts';
import { putResources, removeResource } from '../../inventory/resource-store.ts';
import { type ChangeFeed, openChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { sweepKubePasses } from './kube-pass-store.ts';
import { createKubePasses, type KubePasses } from './kube-passes.ts';

const HOUR_MS = 3_600_000;
const PROD = { id: 'p1', name: 'prod' };

let storage: Storage;
let feed: ChangeFeed;
let passes: KubePasses;
let signIn: SignIn;
const clock = { now: 0 };
const now = () => clock.now;

beforeEach(async () => {
  clock.now = Date.now();
  storage = await openMemoryStorage();
  feed = await openChangeFeed({ storage, log: silentLog, now });
  passes = createKubePasses({ db: storage.db, feed, clusterName: 'localhost', log: silentLog, now });
  signIn = await begin(12 * HOUR_MS);
  await enter(PROD);
});
afterEach(async () => {
  passes.close();
  await feed.close();
  await storage.close();
});

const begin = (lifeMs: number) =>
  storage.db.transaction().execute((tx) =>
    insertSignIn(tx, {
      ...{ user: 'ann', kind: 'cli', now: clock.now, expires: clock.now + lifeMs },
      ...{ address: '10.0.0.1', userAgent: '' },
    }),
  );
const enter = ({ id, name }: typeof PROD) =>
  storage.db.transaction().execute((tx) => {
    const where = { cluster: 'localhost', kind: 'kube' as const };
    return putResources(tx, [{ ...where, id, name, labels: {}, spec: {}, owner: '', expires: undefined }], clock.now);
  });
const give = (from = signIn, factorProven = false) =>
  storage.db.transaction().execute((tx) => passes.give(tx, { username: 'ann', signInId: from.id }, PROD, factorProven));
const rows = () => storage.db.selectFrom('kube_pass').selectAll().execute();

test('a pass says who asks, by which sign-in and for which cluster; the store has its hash alone', async () => {
  const { token, expires } = await give(signIn, true);

  expect(expires).toBe(clock.now + HOUR_MS);
  expect(await passes.find(token)).toEqual({
    ...{ hash: hashToken(token), username: 'ann', signInId: signIn.id, cluster: 'prod', resource: 'p1' },
    ...{ expires, factorProven: true },
  });
  expect(JSON.stringify(await rows())).not.toContain(token);
});

test('a pass ends with its sign-in, also where nobody says so', async () => {
  const short = await begin(60_000);

  const { token, expires } = await give(short);

  expect(expires).toBe(short.expires);
  expect(await passes.find(token)).toBeDefined();
  clock.now = expires;
  expect(await passes.find(token)).toBeUndefined();
});

test.each<[string, () => Promise<unknown>]>([
  [
    'its sign-in ended',
    () => storage.db.transaction().execute((tx) => endSignIn(tx, signIn.id, 'signed_out', clock.now)),
  ],
  [
    'its cluster was removed',
    () =>
      storage.db
        .transaction()
        .execute((tx) => removeResource(tx, { cluster: 'localhost', kind: 'kube' as const, id: 'p1' })),
  ],
])('a pass that was just used is nothing once %s', async (_, change) => {
  const { token } = await give();
  expect(await passes.find(token)).toBeDefined();

  await change();
  await feed.settled();

  expect(await passes.find(token)).toBeUndefined();
});

test('what is known is not read again, and what is nothing is not looked for at every request', async () => {
  const { token } = await give();
  const guess = '0'.repeat(64);
  await passes.find(token);
  await passes.find(guess);
  let reads = 0;
  const { db } = storage;
  const counted = createKubePasses({
    ...{ feed, clusterName: 'localhost', log: silentLog, now },
    db: {
      selectFrom(...args: [never]) {
        reads++;
        return db.selectFrom(...args);
      },
    } as unknown as typeof db,
  });

  for (const shown of [token, guess, token, guess, 'short', '', `${token}0`]) await counted.find(shown);

  // Each of the two once.
  expect(reads).toBe(2);
  counted.close();
});

test('of a sign-in that is over no pass is given', async () => {
  await storage.db.transaction().execute((tx) => endSignIn(tx, signIn.id, 'signed_out', clock.now));

  await expect(give()).rejects.toMatchObject({ code: 'not_signed_in' });
});

test('whoever asks without end voids their own oldest passes, and nobody else’s', async () => {
  const other = await begin(HOUR_MS);
  const { token: others } = await give(other);
  const { token: first } = await give();
  clock.now += 1;
  const fill = Array.from({ length: 999 }, (_, at) => ({
    ...{ hash: `x${at}`, user: 'ann', sign_in: signIn.id, cluster: 'localhost', resource: 'p1', name: 'prod' },
    ...{ given: clock.now, expires: clock.now + HOUR_MS, factor_proven: 0 },
  }));
  await storage.db.insertInto('kube_pass').values(fill).execute();

  const { token: last } = await give();

  expect(await passes.find(first)).toBeUndefined();
  expect(await passes.find(last)).toBeDefined();
  expect(await passes.find(others)).toBeDefined();
});

test('the sweep leaves what is still good', async () => {
  const gone = await begin(HOUR_MS);
  await give(gone);
  const kept = await give();
  await storage.db.transaction().execute((tx) => endSignIn(tx, gone.id, 'signed_out', clock.now));

  await sweepKubePasses(storage.db, clock.now);

  expect((await rows()).map(({ hash }) => hash)).toEqual([hashToken(kept.token)]);
});
