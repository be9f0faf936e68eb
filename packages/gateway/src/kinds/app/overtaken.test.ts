import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { meanwhile } from '../../../testing/meanwhile.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { findResource, findSealed, putResources } from '../../inventory/resource-store.ts';

const params = { clusterId: 'localhost', name: 'wiki' };
const place = { cluster: 'localhost', kind: 'app', id: 'wiki' } as const;
const dev = { uri: 'http://10.0.0.9', labels: { env: 'dev' } } as never;

let gateway: IdentityGateway;
let kim: TestBrowser;

/** Somebody else relabels it after a call of kim's found it. */
const overtaken = (verb: string) =>
  meanwhile(gateway, { user: 'kim', verb }, async (tx) => {
    const held = (await findResource(tx, place))!;
    await putResources(tx, [{ ...held, labels: { env: 'prod' }, sealed: await findSealed(tx, place) }], 0);
  });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const where = `'equals(resource.metadata.labels["env"], "dev")'`;
  const rule = `{resources: [app_server], verbs: [list, update, delete], where: ${where}}`;
  await makeRole(admin, 'keeper', `{allow: {rules: [${rule}]}}`);
  await gateway.addUser('kim', { roles: ['keeper'] });
  kim = await gateway.signedIn('kim');
  const body = { name: 'wiki', ...(dev as object) } as never;
  await call(admin.send, appRoutes.add, { params: { clusterId: 'localhost' }, body });
});
afterEach(() => gateway.close());

test.each([
  ['changed', () => call(kim.send, appRoutes.update, { params, body: dev }), 'update'],
  ['removed', () => call(kim.send, appRoutes.remove, { params }), 'delete'],
])('an application that left the reach of a rule meanwhile is not %s by it', async (_, act, verb) => {
  const other = overtaken(verb);

  await expect(act()).rejects.toMatchObject({ status: 404 });
  await other.committed();

  expect(await findResource(gateway.storage.db, place)).toMatchObject({ labels: { env: 'prod' } });
});
