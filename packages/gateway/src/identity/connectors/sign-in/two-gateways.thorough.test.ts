/** A balancer sends each step of a sign-in to another gateway: all of them know of it, and it counts once. */

import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import type { SharedStore } from '../../../../testing/start-test-gateway.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';

let first: SsoGateway;
let second: IdentityGateway;
beforeEach(async () => {
  const clock = {
    now: Date.now(),
    advance(ms: number) {
      clock.now += ms;
    },
  };
  const storage = await openMemoryStorage(() => clock.now);
  const shared: SharedStore = { storage, clock, key: testKey() };
  first = await startSsoGateway({ shared });
  second = await startIdentityGateway({ shared });
  await first.save();
});
afterEach(async () => {
  await second.close();
  await first.close();
});

test('begun at one, answered at the other, finished at the first', async () => {
  const [here, there] = [first.browser(), second.browser()];
  const callback = await first.toCallback(here, 'ann');
  for (const [name, value] of here.cookies) there.cookies.set(name, value);

  const finish = await visit(there, callback);

  expect(await visit(here, finish)).toBe('/web');
  expect(await here.open()).toBeDefined();
});

test('finished at both in the same moment, it signs in once', async () => {
  const [here, there] = [first.browser(), second.browser()];
  const finish = await visit(here, await first.toCallback(here, 'ann'));
  for (const [name, value] of here.cookies) there.cookies.set(name, value);

  const ends = await Promise.all([visit(here, finish), visit(there, finish)]);

  expect(ends.filter((end) => end === '/web')).toHaveLength(1);
});

test('what a provider ends is heard by the other gateway', async () => {
  const there = second.browser();
  await first.signIn(there as never, 'ann');
  await there.open();
  await first.world.signOut('client-okta', 'ann');
  await second.settled();

  await expect(call(there.send, signInsRoutes.list, {})).rejects.toThrow();
});

test('a connector that is switched off is offered nowhere', async () => {
  expect((await second.browser().visit('/web/config.js')).text).toContain('"okta"');
  await first.storage.db.updateTable('connector').set({ enabled: 0 }).execute();
  await first.save({}, 'other').catch(() => undefined);
  await second.settled();

  expect((await second.browser().visit('/web/config.js')).text).not.toContain('"okta"');
});
