import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { insertSession } from '../../sessions/host/session-store.ts';

const CLUSTER = { clusterId: 'localhost' };
let gateway: IdentityGateway;
let admin: Send;
let hal: Send;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = (await gateway.signedIn('admin')).send;
  const rules = '{allow: {rules: [{resources: [user], verbs: [list, read, update, create, delete]}]}}';
  const content = `kind: role\nversion: v6\nmetadata: {name: help-desk}\nspec: ${rules}\n`;
  await call(admin, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['access', 'help-desk'] });
  hal = (await gateway.signedIn('hal')).send;
});
afterEach(() => gateway.close());

test('nobody gets recordings of somebody who is gone by making a user of their name', async () => {
  const { storage, clock } = gateway;
  const resource = { name: 'db-1', id: 'db-1', labels: { env: 'prod' } };
  await storage.db.transaction().execute(async (tx) => {
    const session = {
      ...{ id: '00000000-0000-4000-8000-000000000001', cluster: 'localhost', user: 'root-ops', signInId: 's' },
      ...{ address: '', request: 'r', action: { type: 'connect', kind: 'node', login: 'root', resource } },
      ...{ created: clock.now, size: { cols: 80, rows: 24 }, agent: undefined, gateway: 'g', mfa: false },
      ...{ recorded: true, begun: clock.now },
    } as never;
    await insertSession(tx, session);
    await tx
      .updateTable('session')
      .set({ participants: JSON.stringify(['root-ops', 'watcher']) })
      .execute();
  });
  const refused = { code: 'denied', message: expect.stringContaining('sessions of somebody else') };
  for (const name of ['root-ops', 'watcher']) {
    const body = { name, roles: ['access'] };
    const documents = `kind: user\nversion: v2\nmetadata: {name: ${name}}\nspec: {roles: [access]}\n`;
    await expect(call(hal, userRoutes.invite, { body })).rejects.toMatchObject(refused);
    await expect(call(hal, userRecordRoutes.create, { body })).rejects.toMatchObject(refused);
    await expect(
      call(hal, applyRoutes.apply, { params: CLUSTER, body: { documents, dryRun: false } }),
    ).rejects.toMatchObject(refused);
  }
  expect(await call(hal, userRoutes.invite, { body: { name: 'root-op', roles: ['access'] } })).toBeDefined();
  expect(await call(admin, userRoutes.invite, { body: { name: 'root-ops', roles: ['access'] } })).toBeDefined();
});
