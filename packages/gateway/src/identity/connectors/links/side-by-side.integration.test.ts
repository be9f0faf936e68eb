/** On PostgreSQL transactions run side by side: of two administrators whom a provider lets go at one moment, one is the last. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { PASSWORD } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { setPasswordHash } from '../../stores/user-store.ts';
import { holdLogouts } from '../stores/logout-store.ts';

const NAMES = ['ann@acme.example', 'bob@acme.example'];
const EDITORS = {
  claims_to_roles: [
    { claim: 'groups', value: 'staff', roles: ['editor'] },
    { claim: 'groups', value: 'guests', roles: ['access'] },
  ],
};

let postgres: TestPostgres;
let gateway: SsoGateway;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

/** Two administrators through the provider, with passwords here too, and nobody beside them. */
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  gateway = await startSsoGateway({
    shared: await share(),
    accounts: { ann: ANN, bob: { ...ANN, email: 'bob@acme.example' } },
  });
  await gateway.save(EDITORS);
  for (const account of ['ann', 'bob']) expect(await gateway.signIn(gateway.browser(), account)).toBe('/web');
  const hash = await gateway.passwords.hash(PASSWORD);
  await gateway.storage.db.transaction().execute(async (tx) => {
    for (const name of NAMES) await setPasswordHash(tx, name, hash);
  });
  await gateway.setRoles('admin', ['access']);
  await gateway.settled();
});
afterEach(() => gateway.close());

const rolesOf = async () => {
  const rows = await gateway.storage.db
    .selectFrom('user')
    .select(['name', 'roles'])
    .where('name', 'in', NAMES)
    .execute();
  return rows.map(({ roles }) => JSON.parse(roles)).toSorted();
};
const waiting = async () => {
  const { rows } = await sql`select pid from pg_locks where locktype = 'advisory' and not granted`.execute(
    gateway.storage.db,
  );
  return rows.length;
};

/** Lets both come as far as deciding, before either has. */
async function atOneMoment(work: () => Promise<unknown>): Promise<void> {
  let done: Promise<unknown> | undefined;
  await gateway.storage.db.transaction().execute(async (tx) => {
    await holdUsers(tx);
    done = work();
    await expect.poll(waiting).toBe(2);
  });
  await done;
  await gateway.settled();
}

test('whom the provider lets go at one moment, one keeps what they administer with', async () => {
  for (const account of ['ann', 'bob']) await gateway.world.withdraw(account);
  gateway.clock.advance(16 * 60_000);

  await atOneMoment(() => gateway.rechecks.runNow());

  expect(await rolesOf()).toEqual([[], ['editor']]);
});

test('who come through it at one moment and would be administrators no more, one is refused', async () => {
  const finishes: { browser: ReturnType<SsoGateway['browser']>; finish: string }[] = [];
  for (const account of ['ann', 'bob']) {
    gateway.world.account(account).groups = ['guests'];
    const browser = gateway.browser();
    finishes.push({ browser, finish: await visit(browser, await gateway.toCallback(browser, account)) });
  }
  const ends: string[] = [];

  await atOneMoment(() =>
    Promise.all(finishes.map(async ({ browser, finish }) => void ends.push(await visit(browser, finish)))),
  );

  expect(ends.filter((end) => end === '/web')).toHaveLength(1);
  expect(await rolesOf()).toEqual([['access'], ['editor']]);
});

test('somebody is signed out at the provider while others change users, and waits for who is just coming through it', async () => {
  const { db } = gateway.storage;
  const signedIn = async (user: string) =>
    (await db.selectFrom('sign_in').select('id').where('user', '=', user).where('ended', 'is', null).execute()).length;
  await db.transaction().execute(async (tx) => {
    await holdUsers(tx);
    await gateway.world.signOut('client-okta', 'ann');
  });
  expect(await signedIn('ann@acme.example')).toBe(0);

  let done: Promise<unknown> | undefined;
  await db.transaction().execute(async (tx) => {
    await holdLogouts(tx, 'okta', 'shared');
    done = gateway.world.signOut('client-okta', 'bob');
    await expect.poll(waiting).toBe(1);
    expect(await signedIn('bob@acme.example')).toBe(1);
  });
  await done;
  expect(await signedIn('bob@acme.example')).toBe(0);
});
