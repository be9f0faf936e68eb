/** What a provider is asked with again is lost by nothing that happens here, and its answer counts for what it says alone. */
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HostileProvider, type Lies, startHostileProvider } from '../../../../testing/connectors/oidc-hostile.ts';
import { type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { findUser } from '../../stores/user-store.ts';

const NAME = 'ann@acme.example';
const DAY = 86_400_000;

let gateway: SsoGateway;
let provider: HostileProvider;
beforeEach(async () => {
  provider = await startHostileProvider();
  gateway = await startSsoGateway();
  await gateway.save({
    issuer_url: provider.issuer,
    client_id: 'gatehouse',
    claims_to_roles: [
      { claim: 'groups', value: 'staff', roles: ['access'] },
      { claim: 'groups', value: 'ops', roles: ['auditor'] },
    ],
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.close();
  await provider.close();
});

/** By the ID token alone, as some have it. */
const inGroups = (...groups: string[]): Lies => ({ idToken: (truth) => ({ ...truth, groups }) });
const NO_ID_TOKEN: Lies = { tokens: ({ id_token: _, ...truth }) => truth };
async function signIn(lies: Lies) {
  provider.lies = lies;
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
}
async function recheck(lies: Lies) {
  provider.lies = lies;
  const { db } = gateway.storage;
  await db
    .updateTable('user_identity')
    .set({ next_recheck: gateway.clock.now - 1 })
    .execute();
  await gateway.rechecks.runNow();
  await gateway.settled();
}
const askedWith = () => provider.exchanged.at(-1)?.get('refresh_token');
const rolesOf = async () => (await findUser(gateway.storage.db, NAME))?.roles;
const row = () => gateway.storage.db.selectFrom('user_identity').selectAll().executeTakeFirstOrThrow();
const troubleOf = async () => (await call(gateway.admin.send, oidcConnectorRoutes.list, {}))[0]?.trouble;

test('a sign-in that brings nothing to ask with leaves what was there, and takes from it what the ID token said before', async () => {
  await signIn(inGroups('staff', 'ops'));
  await signIn({ ...inGroups('staff'), tokens: ({ refresh_token: _, ...truth }) => truth });
  expect(await row()).toMatchObject({ sealed_tokens: expect.any(String), next_recheck: expect.any(Number) });
  await recheck(NO_ID_TOKEN);

  expect(askedWith()).toBe('refresh-1');
  expect(await rolesOf()).toEqual(['access']);
});

test('a mapping that fails after the provider has answered loses nothing of what it gave', async () => {
  await signIn(inGroups('staff'));
  const mapping = vi.spyOn(gateway.access, 'askedTraits').mockImplementation(() => {
    throw new Error('it does not work');
  });
  await recheck(inGroups('staff'));
  expect(askedWith()).toBe('refresh-1');
  expect((await row()).trouble).toContain('something went wrong');
  mapping.mockRestore();
  await recheck(inGroups('staff', 'ops'));

  expect(askedWith()).toBe('refresh-2');
  expect(await rolesOf()).toEqual(['access', 'auditor']);
});

test('a store that fails once while the answer is written loses nothing of it', async () => {
  await signIn(inGroups('staff'));
  await gateway.settled();
  const { db } = gateway.storage;
  const begin = db.transaction.bind(db);
  let failures = 0;
  vi.spyOn(db, 'transaction').mockImplementation(() => {
    // Only once the provider has answered.
    if (failures > 0 || askedWith() !== 'refresh-1') return begin();
    failures++;
    throw new Error('the store is away');
  });
  await recheck(inGroups('staff', 'ops'));

  expect(failures).toBe(1);
  expect(await rolesOf()).toEqual(['access', 'auditor']);
  await recheck(inGroups('staff'));
  expect(askedWith()).toBe('refresh-2');
});

test('where groups are those of the last sign-in, that somebody is still there confirms none of them: `keep` ends what they give', async () => {
  await signIn(inGroups('staff'));
  const { confirmed } = await row();
  gateway.clock.advance(60_000);
  await recheck(NO_ID_TOKEN);
  expect(await row()).toMatchObject({ confirmed, trouble: '' });
  expect(await rolesOf()).toEqual(['access']);

  await recheck(inGroups('staff'));
  expect((await row()).confirmed).toBe(gateway.clock.now);
  await recheck(NO_ID_TOKEN);
  gateway.clock.advance(8 * DAY);
  await gateway.rechecks.runNow();
  expect(await rolesOf()).toEqual([]);
});

test('what is wrong with one person stands on them, and not on the connector of everybody', async () => {
  await signIn(inGroups('staff'));
  await recheck({ userinfo: (truth) => ({ ...truth, sub: 'somebody else' }) });
  expect((await row()).trouble).not.toBe('');
  expect(await troubleOf()).toBeUndefined();

  await recheck({ raw: { '/userinfo': { status: 503, body: '' } } });
  expect(await troubleOf()).toContain('503');
  // Nor does it say that the provider works again.
  await recheck({ userinfo: (truth) => ({ ...truth, sub: 'somebody else' }) });
  expect(await troubleOf()).toContain('503');
  await recheck(inGroups('staff'));
  expect(await troubleOf()).toBeUndefined();
});
