/** Somebody comes through two connectors that give different roles: the one that gave what they hold is heard about it, the other is not. */
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findIdentity } from '../stores/identity-store.ts';

const NAME = 'ann@acme.example';
const gives = (value: string, role: string) => ({
  claims_to_roles: [{ claim: 'groups', value, roles: [role] }],
  traits: [{ from: 'email', to: 'logins' }],
});

let gateway: SsoGateway;
let throughGreater: TestBrowser;
let throughLesser: TestBrowser;

/** Ann is `ann` of 'greater' and `second` of 'lesser', and came through the lesser last but one: what she holds is of the greater. */
beforeEach(async () => {
  gateway = await startSsoGateway({
    accounts: { ann: ANN, second: { ...ANN, email: 'second@acme.example' } },
    connectors: ['greater', 'lesser'],
  });
  await gateway.save(gives('ops', 'auditor'), 'greater');
  await gateway.save(gives('staff', 'access'), 'lesser');
  await signIn('greater', 'ann');
  for (const [connector, subject] of [
    ['greater', 'ann'],
    ['lesser', 'second'],
  ] as const)
    await call(gateway.admin.send, identityRoutes.link, { params: { username: NAME }, body: { connector, subject } });
  // The first through each has the account from then on, and ends what was signed in before.
  await signIn('greater', 'ann');
  throughLesser = await signIn('lesser', 'second');
  throughGreater = await signIn('greater', 'ann');
  expect(await held()).toEqual({ roles: ['auditor'], logins: ['ann@acme.example'], givenBy: 'greater' });
});
afterEach(() => gateway.close());

async function signIn(connector: string, account: string): Promise<TestBrowser> {
  const browser = gateway.browser();
  expect(await gateway.signIn(browser, account, { connector })).toBe('/web');
  return browser;
}
async function held() {
  const { roles, traits, given_by } = await gateway.storage.db
    .selectFrom('user')
    .select(['roles', 'traits', 'given_by'])
    .where('name', '=', NAME)
    .executeTakeFirstOrThrow();
  return { roles: JSON.parse(roles), logins: JSON.parse(traits).logins, givenBy: given_by };
}
const isSignedIn = async (browser: TestBrowser) => (await browser.open()) !== undefined;
async function recheck(connector: string) {
  await gateway.storage.db
    .updateTable('user_identity')
    .set({ next_recheck: gateway.clock.now - 1 })
    .where('connector', '=', connector)
    .execute();
  await gateway.rechecks.runNow();
  await gateway.settled();
}

test('a recheck through the one that did not give what they hold confirms who they are, and changes nothing of it', async () => {
  const before = await held();
  gateway.world.account('second').groups = ['staff', 'new'];

  await recheck('lesser');

  expect(await held()).toEqual(before);
  const identity = await findIdentity(gateway.storage.db, 'lesser', 'second');
  expect(identity?.claims.get('groups')).toEqual(['staff', 'new']);
  expect(identity?.nextRecheck).toBeGreaterThan(gateway.clock.now);
  expect(await isSignedIn(throughLesser)).toBe(true);
});

test('a loss at the one that gave it is heard, though they sit at a sign-in through the other', async () => {
  gateway.world.account('ann').groups = [];

  await recheck('greater');
  await recheck('lesser');

  expect(await held()).toMatchObject({ roles: [], givenBy: 'greater' });
  expect(await isSignedIn(throughGreater)).toBe(false);
  expect(await isSignedIn(throughLesser)).toBe(true);
});

test('whom the one that gave it lets go keeps nothing of it', async () => {
  await gateway.world.withdraw('ann');

  await recheck('greater');
  await recheck('lesser');

  expect(await held()).toMatchObject({ roles: [], givenBy: 'greater' });
});

test('with the next sign-in through the other they have what that gives', async () => {
  await gateway.world.withdraw('ann');
  await recheck('greater');

  await signIn('lesser', 'second');

  expect(await held()).toEqual({ roles: ['access'], logins: ['second@acme.example'], givenBy: 'lesser' });
});

test('whom the other lets go loses the sign-ins through it, and nothing else', async () => {
  const before = await held();
  await gateway.world.withdraw('second');

  await recheck('lesser');

  expect(await isSignedIn(throughLesser)).toBe(false);
  expect(await isSignedIn(throughGreater)).toBe(true);
  expect(await held()).toEqual(before);
});

test('whom the other gives no role any more loses the sign-ins through it, and nothing else', async () => {
  const before = await held();
  gateway.world.account('second').groups = [];

  await recheck('lesser');

  expect(await isSignedIn(throughLesser)).toBe(false);
  expect(await isSignedIn(throughGreater)).toBe(true);
  expect(await held()).toEqual(before);
});

test('once the one that gave it is deleted, and would be asked by nobody, the other is heard', async () => {
  await call(gateway.admin.send, oidcConnectorRoutes.remove, { params: { name: 'greater' } });
  expect(await held()).toMatchObject({ roles: [] });

  await recheck('lesser');

  expect(await held()).toEqual({ roles: ['access'], logins: ['second@acme.example'], givenBy: 'lesser' });
});

test('of whom it is not known who gave what they hold, the next sign-in tells, and a recheck takes nothing for its own', async () => {
  await gateway.storage.db.updateTable('user').set({ given_by: null }).where('name', '=', NAME).execute();
  gateway.world.account('ann').groups = ['ops', 'new'];

  await recheck('greater');
  expect(await held()).toMatchObject({ roles: ['auditor'], givenBy: null });

  await signIn('greater', 'ann');
  expect(await held()).toMatchObject({ roles: ['auditor'], givenBy: 'greater' });
  gateway.world.account('ann').groups = [];
  await recheck('greater');
  expect(await held()).toMatchObject({ roles: [] });
});
