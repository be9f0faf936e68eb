/** On PostgreSQL transactions run side by side: whoever ends all that somebody has finds what is made in that moment, or it is not made. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { holdUsers } from '../stores/administrators.ts';
import { endSignInsOf, listSignIns } from '../stores/sign-in-store.ts';
import { setPasswordHash } from '../stores/user-store.ts';

let postgres: TestPostgres;
let gateway: IdentityGateway;
let name = '';
let browser: TestBrowser;
beforeAll(async () => {
  postgres = await startPostgres();
  const share = sharedStores(postgres.url);
  gateway = await startIdentityGateway({ shared: await share() });
});
afterAll(async () => {
  await gateway?.close();
  await postgres?.stop();
});
let serial = 0;
beforeEach(async () => {
  name = `ann-${++serial}`;
  await gateway.addUser(name);
  browser = await gateway.signedIn(name);
});

const waiting = async () => {
  const found = await sql<unknown>`select pid from pg_locks where locktype = 'advisory' and not granted`.execute(
    gateway.storage.db,
  );
  return found.rows.length;
};

/** Lets the call come as far as its transaction, while everything of theirs is being ended. */
async function whileAllEnds(work: () => Promise<unknown>): Promise<unknown> {
  const { db } = gateway.storage;
  let done: Promise<unknown> | undefined;
  await db.transaction().execute(async (tx) => {
    await holdUsers(tx);
    done = work().then(
      () => 'made',
      (error: { code?: string }) => error.code,
    );
    await expect.poll(waiting).toBe(1);
    await endSignInsOf(tx, name, 'credentials_reset', { now: gateway.clock.now });
    await setPasswordHash(tx, name, null);
  });
  return await done;
}
const alive = () => listSignIns(gateway.storage.db, name, gateway.clock.now);

test('a token for scripts is not made by what has just ended', async () => {
  const body = { name: 'script', scope: 'all', ttlSeconds: 3600 } as const;

  expect(await whileAllEnds(() => call(browser.send, apiTokenRoutes.create, { body }))).toBe('not_signed_in');
  expect(await alive()).toEqual([]);
});

test('nor is a proof that adds devices', async () => {
  const prove = () => call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });

  expect(await whileAllEnds(prove)).toBe('not_signed_in');
});

test('a password that was checked before it was taken away signs nobody in', async () => {
  expect(await whileAllEnds(() => gateway.browser().signIn(name, PASSWORD))).toBe('denied');
  expect(await alive()).toEqual([]);
});
