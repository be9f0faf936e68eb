/** Two gateways on one PostgreSQL: servers and the keys they trust are the same on both. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { enrolBody, hostKeyLine, newHostKey } from '../../../testing/test-host.ts';

const params = { clusterId: '-current-' };

let postgres: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  postgres = await startPostgres();
  const share = sharedStores(postgres.url);
  const open = async () => startIdentityGateway({ shared: await share() });
  here = await open();
  there = await open();
  await here.addUser('admin', { roles: ['editor', 'access'] });
  admin = await here.signedIn('admin');
});
afterAll(async () => {
  await here?.close();
  await there?.close();
  await postgres?.stop();
});

const add = (as: TestBrowser, name: string, addr: string, hostKey = newHostKey()) =>
  call(as.send, nodeRoutes.add, { params, body: { name, addr, hostKeys: [hostKeyLine(hostKey)] } });

test('both gateways make the first authority at once and agree, and a rotation on one counts on the other', async () => {
  const keys = async (gateway: IdentityGateway) =>
    (await call(gateway.send, sshAuthorityRoutes.list, {})).map(({ fingerprint }) => fingerprint);

  const [first, second] = await Promise.all([keys(here), keys(there)]);
  await call(admin.send, sshAuthorityRoutes.rotate, { body: { overlapSeconds: 3600 } });
  await there.settled();
  const rotated = await keys(here);
  const known = await keys(there);
  await call(admin.send, sshAuthorityRoutes.rotate, { body: { overlapSeconds: 0 } });
  await there.settled();

  expect(first).toEqual(second);
  expect(rotated).toEqual([expect.any(String), first![0]]);
  expect(known).toEqual(rotated);
  expect(await keys(there)).toEqual(await keys(here));
  expect(await keys(there)).toHaveLength(1);
});

test('a name is taken on both, whichever gateway hears of it first', async () => {
  const elsewhere = await there.signedIn('admin');

  const both = await Promise.allSettled([add(admin, 'race', '10.0.1.1:22'), add(elsewhere, 'race', '10.0.1.2:22')]);

  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a machine is known again by address and host key, and found by its host name', async () => {
  const content = `kind: role\nversion: v6\nmetadata: {name: adder}\nspec: {allow: {rules: [{resources: [node], verbs: [list, create]}]}}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await here.addUser('ada', { roles: ['adder'] });
  const ada = await here.signedIn('ada');
  const hostKey = newHostKey();
  const { node } = await add(admin, 'prod-1', '10.0.2.1:22', hostKey);

  await expect(add(ada, 'a', '10.0.2.1:22')).rejects.toMatchObject({ status: 403 });
  await expect(add(ada, 'b', '10.0.2.2:22', hostKey)).rejects.toMatchObject({ status: 403 });
  await add(ada, 'c', '10.0.2.3:22');
  const { id: token } = await call(admin.send, joinTokenRoutes.create, { body: { roles: ['Node'] } });
  // The challenge of one counts on the other.
  const enrol = async (name: string) =>
    call(here.send, nodeRoutes.enrol, {
      body: await enrolBody(there.send, { token, name, addr: '10.0.2.1:22', keys: [hostKey] }),
    });
  expect((await enrol('prod-1')).id).toBe(node.id);
  await expect(enrol('other')).rejects.toMatchObject({ status: 409 });
  await expect(call(admin.send, nodeRoutes.get, { params: { ...params, id: 'nobody.example' } })).rejects.toMatchObject(
    { status: 404 },
  );
});
