import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { userListRoutes } from '@gatehouse/contract/identity/users/user-list';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

test('the list tells who has signed in and who was only invited', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('never');
  const admin = await gateway.signedIn('admin');
  const signedInAt = new Date(gateway.clock.now).toISOString();
  await call(admin.send, userRoutes.invite, { body: { name: 'new', roles: ['access'] } });
  gateway.clock.advance(1000);

  expect(await call(admin.send, userRoutes.list, {})).toEqual([
    { name: 'admin', roles: ['editor'], authType: 'local', factors: [], lastSignIn: signedInAt },
    { name: 'never', roles: ['access'], authType: 'local', factors: [] },
    { name: 'new', roles: ['access'], authType: 'local', factors: [], invited: true },
  ]);
});

test('users a condition keeps from the caller are not listed', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('bob');
  const admin = await gateway.signedIn('admin');
  const content = `kind: role
version: v6
metadata: { name: desk }
spec:
  allow:
    rules:
      - resources: [user]
        verbs: [list]
        where: equals(resource.metadata.name, "bob")
`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('desk', { roles: ['desk'] });
  const desk = await gateway.signedIn('desk');

  expect((await call(desk.send, userRoutes.list, {})).map(({ name }) => name)).toEqual(['bob']);
  const found = await call(desk.send, userListRoutes.find, { params: { clusterId: '-current-' } });
  expect(found).toMatchObject({ totalCount: 1, everybody: 1, counts: { states: { active: 1, locked: 0 } } });
  expect(found.counts.roles).toEqual([{ name: 'access', count: 1 }]);
});

test('people are found by state, and a lock the caller may not see does not show in it', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('bob');
  await gateway.addUser('eve', { roles: ['access'] });
  const admin = await gateway.signedIn('admin');
  const params = { clusterId: '-current-' };
  const content = `kind: role
version: v6
metadata: { name: desk }
spec:
  allow:
    rules:
      - resources: [user]
        verbs: [list]
`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('desk', { roles: ['desk'] });
  const desk = await gateway.signedIn('desk');
  await call(admin.send, lockRoutes.create, { params, body: { targets: { user: 'eve' } } });
  await call(admin.send, userRoutes.invite, { body: { name: 'new', roles: ['access'] } });

  const locked = await call(admin.send, userListRoutes.find, { params, query: { state: 'locked' } });
  expect(locked.items).toMatchObject([{ name: 'eve', state: 'locked' }]);
  expect(locked.counts.states).toEqual({ active: 3, invited: 1, locked: 1, 'locked-out': 0, 'left-behind': 0 });
  const toDesk = await call(desk.send, userListRoutes.find, { params, query: { search: 'eve' } });
  expect(toDesk.items).toMatchObject([{ name: 'eve', state: 'active' }]);
});
