/** On PostgreSQL transactions run side by side: what one decides on must not be changed by another before it writes. */
import { randomUUID } from 'node:crypto';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import { keepingAnAdministrator } from '../stores/administrators.ts';
import { findUser, updateUser } from '../stores/user-store.ts';

let postgres: TestPostgres;
let gateway: IdentityGateway;

beforeAll(async () => {
  postgres = await startPostgres();
  const share = sharedStores(postgres.url);
  gateway = await startIdentityGateway({ shared: await share() });
  await gateway.addUser('admin', { roles: ['editor'] });
});
afterAll(async () => {
  await gateway?.close();
  await postgres?.stop();
});

test('traits that somebody was given meanwhile stay when others change their roles', async () => {
  const { db } = gateway.storage;
  const name = `ann-${randomUUID().slice(0, 8)}`;
  await gateway.addUser(name, { roles: ['access'] });
  const admin = await gateway.signedIn('admin');
  const waiting = async () => {
    const found = await sql<unknown>`select pid from pg_locks where locktype = 'advisory' and not granted`.execute(db);
    return found.rows.length;
  };

  let changed: Promise<unknown> | undefined;
  await db.transaction().execute((tx) =>
    keepingAnAdministrator(tx, { now: 0, what: name }, async () => {
      const body = { name, roles: ['access', 'auditor'], traits: {} } as never;
      changed = call(admin.send, userRecordRoutes.update, { body });
      await expect.poll(waiting).toBe(1);
      await updateUser(tx, name, { roles: ['access'], traits: { logins: ['www'] } });
    }),
  );
  await changed;

  expect(await findUser(db, name)).toMatchObject({ roles: ['access', 'auditor'], traits: { logins: ['www'] } });
});
