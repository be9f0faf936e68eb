/** On PostgreSQL: a recovery that begins in the moment in which somebody links themselves leaves no key beside the link, whichever is first. */
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkOwn } from '../../../../testing/connectors/link-own.ts';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { replaceRecoveryCodes } from '../../stores/recovery-store.ts';

let postgres: TestPostgres;
let gateway: SsoGateway;
let second: IdentityGateway;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  gateway = await startSsoGateway({ shared: await share(), accounts: { ann: ANN } });
  second = await startIdentityGateway({ shared: await share() });
  await gateway.save();
  await gateway.addUser('ann');
});
afterEach(async () => {
  await second.close();
  await gateway.close();
});

test('of a link at one gateway and a recovery at the other, the recovery gives nothing that outlives the link', async () => {
  const { db } = gateway.storage;
  const ann = await gateway.signedIn('ann');
  const [code = ''] = await db.transaction().execute((tx) => replaceRecoveryCodes(tx, 'ann', gateway.clock.now));
  const stranger = second.browser();
  await stranger.open();
  const waiting = async () =>
    (await sql`select pid from pg_locks where locktype = 'advisory' and not granted`.execute(db)).rows.length;
  const body = { user: 'ann', code, pass: PASSWORD };
  let begun: Promise<string | undefined> = Promise.resolve(undefined);
  const { promise: mayLink, resolve: letLink } = Promise.withResolvers<void>();
  const linked = linkOwn(gateway, ann, { meanwhile: () => mayLink });
  await db.transaction().execute(async (tx) => {
    await holdUsers(tx);
    letLink();
    begun = call(stranger.send, recoveryRoutes.begin, { body }).then(
      ({ tokenId }) => tokenId,
      () => undefined,
    );
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
  });

  expect(await linked).toContain('can be closed');
  const tokenId = await begun;
  if (tokenId !== undefined)
    await expect(call(stranger.send, passwordRoutes.readToken, { params: { tokenId } })).rejects.toMatchObject({
      fields: { reason: 'used' },
    });
  const alive = await db
    .selectFrom('user_token')
    .selectAll()
    .where('user', '=', 'ann')
    .where('used_at', 'is', null)
    .execute();
  expect(alive).toEqual([]);
});
