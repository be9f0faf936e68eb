/** A gateway with an administrator, a developer, two roles and a few resources, for tests of questions about access. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { type NewResource, putResources } from '../../src/inventory/resource-store.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

export interface ExplainWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  addNodes(nodes: readonly { id: string; name: string; env: string }[]): Promise<void>;
}

/** `ann` holds `dev` (env: dev as root and web); nobody holds `ops` (env: prod as root). */
export async function startExplainWorld(): Promise<ExplainWorld> {
  const gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  await addRole(admin, 'dev', 'allow: {logins: [root, web], node_labels: {env: dev}}');
  await addRole(admin, 'ops', 'allow: {logins: [root], node_labels: {env: prod}}');
  await gateway.addUser('ann', { roles: ['dev'] });
  const addNodes: ExplainWorld['addNodes'] = (nodes) =>
    gateway.storage.db.transaction().execute((tx) =>
      putResources(
        tx,
        nodes.map(({ env, ...node }) => resource({ ...node, labels: { env } })),
        0,
      ),
    );
  await addNodes([
    { id: 'n1', name: 'web-1', env: 'dev' },
    { id: 'n2', name: 'db-1', env: 'prod' },
  ]);
  await gateway.storage.db
    .transaction()
    .execute((tx) => putResources(tx, [resource({ kind: 'db', id: 'd1', name: 'orders', labels: {} })], 0));
  return { gateway, admin, addNodes };
}

export async function addRole(browser: TestBrowser, name: string, spec: string): Promise<void> {
  const content = `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec:\n  ${spec}\n`;
  await call(browser.send, roleRoutes.create, { body: { content } });
}

export function resource(
  given: Pick<NewResource, 'id' | 'name' | 'labels'> & { kind?: NewResource['kind'] },
): NewResource {
  return {
    cluster: 'localhost',
    kind: 'node',
    spec: {},
    owner: 'agent',
    expires: undefined,
    searchWords: [],
    ...given,
  };
}
