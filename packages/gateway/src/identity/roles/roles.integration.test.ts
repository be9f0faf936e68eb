import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { testKey } from '../../../testing/secrets/test-key.ts';
import { testClock } from '../../../testing/start-test-gateway.ts';
import { openSuiteStorage } from '../../../testing/storage/test-folder.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let postgres: TestPostgres;
let first: IdentityGateway;
let second: IdentityGateway;
beforeAll(async () => {
  postgres = await startPostgres();
  const key = testKey();
  const clock = testClock();
  const gateway = async () =>
    startIdentityGateway({ shared: { storage: await openSuiteStorage(postgres.url), key, clock } });
  first = await gateway();
  second = await gateway();
  await first.addUser('admin', { roles: ['editor'] });
  await first.addUser('bea', { roles: ['editor'] });
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await postgres?.stop();
});

const document = (name: string, verbs: string) =>
  `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {node_labels: {env: dev}, rules: [{resources: [role], verbs: [${verbs}]}]}}\n`;
const list = (browser: TestBrowser) => call(browser.send, roleRoutes.list, {});

test('a role changed at one gateway counts at the other within two seconds, and so does a lock', async () => {
  const admin = await first.signedIn('admin');
  await call(admin.send, roleRoutes.create, { body: { content: document('watch', 'list') } });
  await second.addUser('ann', { roles: ['watch'] });
  const ann = await vi.waitFor(() => second.signedIn('ann'), 2000);

  await vi.waitFor(async () => expect(await list(ann)).toHaveLength(4), 2000);
  await call(admin.send, roleRoutes.update, {
    params: { name: 'watch' },
    body: { content: document('watch', 'read') },
  });
  await vi.waitFor(() => expect(list(ann)).rejects.toMatchObject({ code: 'denied' }), 2000);
  await call(admin.send, lockRoutes.create, { params: { clusterId: '-current-' }, body: { targets: { user: 'ann' } } });
  await vi.waitFor(() => expect(list(ann)).rejects.toMatchObject({ code: 'not_signed_in' }), 2000);
});

test('two administrators who lock each other at the same moment on two gateways do not lock everybody out', async () => {
  const [admin, bea] = [await first.signedIn('admin'), await second.signedIn('bea')];
  const lock = (browser: TestBrowser, user: string) =>
    call(browser.send, lockRoutes.create, { params: { clusterId: '-current-' }, body: { targets: { user } } });

  const outcomes = await Promise.allSettled([lock(admin, 'bea'), lock(bea, 'admin')]);

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});
