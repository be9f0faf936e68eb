import { dbAuthorityRoutes } from '@gatehouse/contract/identity/db-authorities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';

let gateway: IdentityGateway;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
});
afterEach(() => gateway.close());

test('anybody may ask which authorities there are, and is told nothing that is secret', async () => {
  const all = await call(gateway.send, dbAuthorityRoutes.list, {});

  expect(all.map(({ purpose, state }) => [purpose, state]).sort()).toEqual([
    ['db', 'signing'],
    ['db_client', 'signing'],
    ['db_door', 'signing'],
  ]);
  expect(JSON.stringify(all)).not.toContain('PRIVATE');
});

test('only who may change trust lets a new one follow, and that is told', async () => {
  const [admin, ann] = [await gateway.signedIn('admin'), await gateway.signedIn('ann')];
  const body = { purpose: 'db_client' as const };

  await expect(call(ann.send, dbAuthorityRoutes.rotate, { body })).rejects.toMatchObject({ status: 403 });
  const after = (await call(admin.send, dbAuthorityRoutes.rotate, { body })).filter(
    ({ purpose }) => purpose === 'db_client',
  );

  expect(after.map(({ state }) => state)).toEqual(['announced', 'signing']);
  expect((await gateway.events()).at(-1)).toMatchObject({
    code: 'GH380I',
    user: 'admin',
    data: { purpose: 'db_client', fingerprint: after[0]!.fingerprint, announce_seconds: 2_592_000 },
  });
});
