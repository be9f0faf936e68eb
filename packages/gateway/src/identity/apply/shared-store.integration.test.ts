import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { denialRoutes } from '@gatehouse/contract/access/explain/denials';
import { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { whatIfRoutes } from '@gatehouse/contract/access/explain/what-if';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { resource } from '../../../testing/explain/explain-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { putResources } from '../../inventory/resource-store.ts';

const params = { clusterId: '-current-' };

let postgres: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => startIdentityGateway({ shared: await share() });
  here = await open();
  there = await open();
  await here.addUser('admin', { roles: ['editor'] });
  admin = await here.signedIn('admin');
});
afterEach(async () => {
  await here.close();
  await there.close();
});

const DOCUMENTS = `kind: role
version: v6
metadata: {name: dev}
spec: {allow: {logins: [root, web], node_labels: {env: dev}}}
---
kind: user
version: v2
metadata: {name: ann}
spec: {roles: [dev]}
`;

test('documents are applied, given back, explained and foretold on PostgreSQL', async () => {
  const apply = (documents: string) => call(admin.send, applyRoutes.apply, { params, body: { documents } });
  await apply(DOCUMENTS);
  const nodes = ['dev', 'prod'].map((env) => resource({ id: `n-${env}`, name: `${env}-1`, labels: { env } }));
  await here.storage.db.transaction().execute((tx) => putResources(tx, nodes, 0));

  const { documents } = await call(admin.send, applyRoutes.export, { params, query: { revisions: 'yes' } });
  expect(new Set((await apply(documents)).items.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  expect(await call(admin.send, explainRoutes.who, { params, body: { resource: 'dev-1' } })).toMatchObject({
    items: [{ user: 'ann', names: [{ field: 'logins', names: ['root', 'web'] }] }],
  });
  expect(await call(admin.send, explainRoutes.reach, { params, body: { user: 'ann', limit: 1 } })).toMatchObject({
    counts: { node: 1 },
    items: [{ name: 'dev-1' }],
  });
  for (const labels of ['{env: prod}', '{rack: r1}']) {
    const content = DOCUMENTS.split('---')[0]?.replace('{env: dev}', labels) ?? '';
    const change = { type: 'save-role', content } as const;
    const { total } = await call(admin.send, whatIfRoutes.whatIf, { params, body: { change } });
    expect(total).toMatchObject({ names: { gained: labels === '{env: prod}' ? 2 : 0, lost: 2 } });
  }
});

test('a refused call can be looked up through another gateway', async () => {
  await here.addUser('ann');
  const ann = await here.signedIn('ann');
  const refused = await call(ann.send, roleRoutes.list, {}).catch((error: { requestId?: string }) => error);
  const id = 'requestId' in refused ? (refused.requestId ?? '') : '';
  const other = await there.signedIn('admin');

  expect(await call(other.send, denialRoutes.get, { params: { ...params, id } })).toMatchObject({ user: 'ann' });
});

test('of two gateways that write from the same revision one gets a conflict, also at the same moment', async () => {
  await call(admin.send, applyRoutes.apply, { params, body: { documents: DOCUMENTS } });
  const query = { kinds: 'role', name: 'dev', revisions: 'yes' } as const;
  const { documents } = await call(admin.send, applyRoutes.export, { params, query });
  const other = await there.signedIn('admin');

  const written = await Promise.allSettled(
    [admin, other].map((browser, index) =>
      call(browser.send, applyRoutes.apply, {
        params,
        body: { documents: documents.replace('web', `writer-${index}`) },
      }),
    ),
  );

  expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const lost = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(lost.reason).toMatchObject({ code: 'compare_failed' });
});
