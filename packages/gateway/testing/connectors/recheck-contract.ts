/** Two gateways on one store ask a provider that takes each refresh token once. The same on each engine. */
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recheckNow } from '../../src/identity/connectors/stores/identity-store.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { SharedStore } from '../start-test-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from './sso-gateway.ts';

const NAME = 'ann@acme.example';
const LONGER_THAN_ASKING = 6 * 60_000;

/** `openStore` makes a store, and gives what opens it for one gateway. */
export function recheckContract(openStore: () => Promise<() => Promise<SharedStore>>): void {
  let first: SsoGateway;
  let second: IdentityGateway | undefined;
  let open: () => Promise<SharedStore>;
  let ann: TestBrowser;
  beforeEach(async () => {
    open = await openStore();
    first = await startSsoGateway({
      shared: await open(),
      accounts: { ann: ANN, bob: { ...ANN, email: 'bob@acme.example' } },
    });
    second = undefined;
    await first.save();
    ann = first.browser();
    expect(await first.signIn(ann, 'ann')).toBe('/web');
  });
  afterEach(async () => {
    await second?.close();
    await first.close();
  });

  const dueNow = () => first.storage.db.transaction().execute((tx) => recheckNow(tx, NAME, first.clock.now));
  const uses = () => first.world.asked.filter((each) => each === 'POST /token').length;
  /** The first gateway asks, and the provider has not answered yet. */
  async function firstAsks(): Promise<{ release: () => void; asking: Promise<void> }> {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    first.world.faults = { held: { at: '/token', until } };
    const before = uses();
    await dueNow();
    const asking = first.rechecks.runNow();
    await expect.poll(uses).toBe(before + 1);
    return { release, asking };
  }

  /** All of them: each asks by itself every second, and whichever is first has it. */
  const allAsk = () => Promise.all([first.rechecks.runNow(), second?.identity.rechecks().runNow()]);

  test('who becomes due while one gateway asks about them is asked about by no other, and then again', async () => {
    const { release, asking } = await firstAsks();
    const before = uses();
    // They come in by a password, at the other one.
    await dueNow();
    second = await startIdentityGateway({ shared: await open() });
    await second.identity.rechecks().runNow();

    expect(uses()).toBe(before);
    release();
    await asking;
    await allAsk();
    await first.settled();
    expect(uses()).toBe(before + 1);
    expect(await ann.open()).toBeDefined();
  });

  test('both at one moment use what they ask with once', async () => {
    second = await startIdentityGateway({ shared: await open() });
    const before = uses();
    for (let round = 0; round < 5; round += 1) {
      await dueNow();
      await allAsk();
    }
    await first.settled();

    expect(uses()).toBe(before + 5);
    expect(await ann.open()).toBeDefined();
  });

  test('a link that is begun at one gateway is answered and finished at the other', async () => {
    second = await startIdentityGateway({ shared: await open() });
    await first.addUser('local-bob', { roles: ['access'] });
    const here = await first.signedIn('local-bob');
    const { url } = await call(here.send, identityRoutes.linkOwn, { body: { connector: 'okta' } });
    first.world.signInAs('bob');
    const there = second.browser();
    for (const [name, value] of here.cookies) there.cookies.set(name, value);
    let at = (await first.world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
    while (at.startsWith('/v1/')) at = await visit(there, at);

    expect(at).toContain('can be closed');
    await first.settled();
    expect(await call(here.send, identityRoutes.own, {})).toMatchObject([{ connector: 'okta', subject: 'bob' }]);
  });

  test('a gateway that stops while it asks keeps the others from it only for a while', async () => {
    const { db } = first.storage;
    const until = first.clock.now + LONGER_THAN_ASKING;
    await db.updateTable('user_identity').set({ next_recheck: first.clock.now, asking_until: until }).execute();
    second = await startIdentityGateway({ shared: await open() });
    const before = uses();
    await allAsk();
    expect(uses()).toBe(before);

    first.clock.advance(LONGER_THAN_ASKING);
    await allAsk();

    expect(uses()).toBe(before + 1);
    const { asking_until } = await db.selectFrom('user_identity').select('asking_until').executeTakeFirstOrThrow();
    expect(asking_until).toBeNull();
  });
}
