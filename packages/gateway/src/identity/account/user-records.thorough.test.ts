import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;

async function start(): Promise<void> {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
}

/** Somebody who may edit users but not roles, somebody who holds less, and somebody who holds more. */
async function startHelpdesk(): Promise<TestBrowser> {
  const content =
    'kind: role\nversion: v6\nmetadata: {name: helpdesk}\nspec: {allow: {rules: [{resources: [user], verbs: ["*"]}]}}\n';
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('help', { roles: ['helpdesk', 'access'] });
  await gateway.addUser('ann', { roles: ['access'] });
  await gateway.addUser('aud', { roles: ['access', 'auditor'] });
  return await gateway.signedIn('help');
}

type Body = { name: string; roles: string[]; traits?: Record<string, string[]>; revision?: string };
const get = (browser: TestBrowser, username: string) =>
  call(browser.send, userRecordRoutes.get, { params: { username } });
const create = (browser: TestBrowser, body: Body) => call(browser.send, userRecordRoutes.create, { body });
const update = (browser: TestBrowser, body: Body) => call(browser.send, userRecordRoutes.update, { body });
const remove = (browser: TestBrowser, username: string) =>
  call(browser.send, userRecordRoutes.remove, { params: { username } });

/** What changes nothing: all of it on one gateway. */
describe('what is refused', () => {
  let help: TestBrowser;
  beforeAll(async () => {
    await start();
    help = await startHelpdesk();
  });
  afterAll(() => gateway.close());

  test('what is not there or not right is refused', async () => {
    await expect(create(admin, { name: 'admin', roles: ['access'] })).rejects.toMatchObject({ status: 409 });
    await expect(create(admin, { name: 'x', roles: ['nothing'] })).rejects.toMatchObject({ status: 400 });
    await expect(create(admin, { name: 'x', roles: [] })).rejects.toMatchObject({ status: 400 });
    await expect(create(admin, { name: 'a/b', roles: ['access'] })).rejects.toMatchObject({ status: 400 });
    await expect(create(admin, { name: 'invite', roles: ['access'] })).rejects.toMatchObject({ status: 400 });
    await expect(update(admin, { name: 'nobody', roles: ['access'] })).rejects.toMatchObject({ status: 404 });
    await expect(remove(admin, 'nobody')).rejects.toMatchObject({ status: 404 });
    await expect(remove(admin, 'admin')).rejects.toMatchObject({ status: 400 });
  });

  test.each(['Admin', 'аdmin', 'adrnin', 'ADMIN'])('the name %s is refused beside admin', async (name) => {
    await expect(create(admin, { name, roles: ['access'] })).rejects.toMatchObject({ status: 409 });
  });

  test.each([
    ['gives a role they do not hold', () => update(help, { name: 'ann', roles: ['access', 'auditor'] })],
    ['gives themselves a role', () => update(help, { name: 'help', roles: ['helpdesk', 'editor'] })],
    ['takes a role they do not hold', () => update(help, { name: 'aud', roles: ['access'] })],
    ['changes an administrator', () => update(help, { name: 'admin', roles: ['access'] })],
    ['deletes an administrator', () => remove(help, 'admin')],
    ['deletes somebody who holds more', () => remove(help, 'aud')],
    ['makes somebody who holds more', () => create(help, { name: 'new', roles: ['editor'] })],
    [
      'gives a name on servers they do not have',
      () => update(help, { name: 'ann', roles: ['access'], traits: { logins: ['root'] } }),
    ],
    [
      'gives themselves a name on servers',
      () => update(help, { name: 'help', roles: ['helpdesk', 'access'], traits: { logins: ['root'] } }),
    ],
  ])('who may edit users but not roles is refused who %s', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ status: 403 });
  });

  describe('who may not', () => {
    const calls = (browser: TestBrowser) => [
      get(browser, 'admin'),
      create(browser, { name: 'x', roles: ['access'] }),
      update(browser, { name: 'admin', roles: ['access'] }),
      remove(browser, 'admin'),
    ];

    test('without a sign-in nothing is answered', async () => {
      for (const made of calls(gateway.browser())) await expect(made).rejects.toMatchObject({ status: 403 });
    });

    test('without the verb nothing is answered', async () => {
      for (const made of calls(await gateway.signedIn('aud')))
        await expect(made).rejects.toMatchObject({ status: 403 });
    });
  });
});

describe('what is changed', () => {
  beforeEach(start);
  afterEach(() => gateway.close());

  test('a user is made, read, changed and deleted', async () => {
    await create(admin, {
      name: 'ann',
      roles: ['auditor', 'access'],
      traits: { logins: ['ann', 'root'], kubeUsers: [] },
    });

    expect(await get(admin, 'ann')).toMatchObject({
      name: 'ann',
      roles: ['access', 'auditor'],
      authType: 'local',
      traits: { logins: ['ann', 'root'] },
    });
    await update(admin, { name: 'ann', roles: ['access'], traits: { databaseUsers: ['pg'] } });
    expect(await get(admin, 'ann')).toMatchObject({
      roles: ['access'],
      traits: { logins: ['ann', 'root'], databaseUsers: ['pg'] },
    });
    await update(admin, { name: 'ann', roles: ['access'], traits: { logins: [] } });
    expect((await get(admin, 'ann')).traits).toEqual({ databaseUsers: ['pg'] });
    await remove(admin, 'ann');
    await expect(get(admin, 'ann')).rejects.toMatchObject({ status: 404 });
  });

  test('names that only begin alike stay apart', async () => {
    await create(admin, { name: 'a', roles: ['access'] });
    await create(admin, { name: 'ab', roles: ['auditor'] });
    await remove(admin, 'a');

    expect((await get(admin, 'ab')).roles).toEqual(['auditor']);
    await expect(get(admin, 'AB')).rejects.toMatchObject({ status: 404 });
  });

  test('the second of two writers gets a conflict', async () => {
    const { revision = '' } = await create(admin, { name: 'ann', roles: ['access'] });
    await update(admin, { name: 'ann', roles: ['auditor'], revision });

    await expect(update(admin, { name: 'ann', roles: ['access'], revision })).rejects.toMatchObject({ status: 412 });
  });

  test('every change is audited with what was before and after', async () => {
    await create(admin, { name: 'ann', roles: ['access'], traits: { logins: ['ann'] } });
    await update(admin, { name: 'ann', roles: ['auditor'] });
    await remove(admin, 'ann');

    const traits = { logins: ['ann'] };
    const events = (await gateway.events()).filter(({ data }) => data.name === 'ann');
    expect(events.map(({ code, user, data }) => [code, user, data.before, data.after])).toEqual([
      ['T1002I', 'admin', undefined, { roles: ['access'], traits }],
      ['T1003I', 'admin', { roles: ['access'], traits }, { roles: ['auditor'], traits }],
      ['T1004I', 'admin', { roles: ['auditor'], traits }, undefined],
    ]);
  });

  test('a change of roles counts without signing in again', async () => {
    await gateway.addUser('ann', { roles: ['access'] });
    const ann = await gateway.signedIn('ann');
    const acl = async () =>
      (await call(ann.send, clusterRoutes.context, { params: { clusterId: '-current-' } })).userAcl;

    expect((await acl()).events.list).toBe(false);
    await update(admin, { name: 'ann', roles: ['auditor'] });
    await gateway.settled();
    expect((await acl()).events.list).toBe(true);
    expect((await acl()).nodes.list).toBe(false);
  });

  test('a deleted user is signed out, and one of the same name made later does not find the old sign-ins', async () => {
    await gateway.addUser('ann', { roles: ['access'] });
    const ann = await gateway.signedIn('ann');
    await remove(admin, 'ann');
    await gateway.addUser('ann', { roles: ['access'] });
    await gateway.settled();

    await expect(call(ann.send, clusterRoutes.sites, {})).rejects.toMatchObject({ status: 403 });
  });

  test('the last administrator neither loses the role nor is deleted', async () => {
    await gateway.addUser('bea', { roles: ['editor'] });
    const bea = await gateway.signedIn('bea');
    await remove(bea, 'admin');

    await expect(update(bea, { name: 'bea', roles: ['access'] })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('last way in'),
    });
  });

  test('who may edit users but not roles manages those who hold no more than they do', async () => {
    const help = await startHelpdesk();
    await create(help, { name: 'new', roles: ['access'] });
    await update(help, { name: 'ann', roles: ['access', 'helpdesk'] });
    await remove(help, 'new');

    expect((await get(help, 'ann')).roles).toEqual(['access', 'helpdesk']);
  });
});
