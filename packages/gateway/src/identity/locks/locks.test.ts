import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import { join, newJoinToken } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import type { Action } from '../../access/action.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { updateUser } from '../stores/user-store.ts';

const clusterId = '-current-';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const lock = (
  browser: TestBrowser,
  targets: Record<string, string>,
  more: { message?: string; ttlSeconds?: number; force?: boolean } = {},
) => call(browser.send, lockRoutes.create, { params: { clusterId }, body: { targets, ...more } });
const lift = (browser: TestBrowser, name: string) =>
  call(browser.send, lockRoutes.remove, { params: { clusterId, name } });
const list = (browser: TestBrowser) => call(browser.send, lockRoutes.list, { params: { clusterId } });
const isIn = (browser: TestBrowser) =>
  call(browser.send, clusterRoutes.sites, {}).then(
    () => true,
    () => false,
  );

test.each<Record<string, string>>([{ user: 'ann' }, { role: 'access' }])(
  'a lock on %j signs out and keeps out until it is lifted, and its reason stays with administrators',
  async (targets) => {
    const ann = await gateway.signedIn('ann');

    const { name } = await lock(admin, targets, { message: 'laptop lost' });

    expect(await isIn(ann)).toBe(false);
    await expect(gateway.browser().signIn('ann', PASSWORD)).rejects.toMatchObject({
      status: 403,
      message: 'your account is locked: ask an administrator',
    });
    await expect(gateway.browser().signIn('ann', 'wrong')).rejects.toMatchObject({
      message: expect.not.stringContaining('locked'),
    });
    await lift(admin, name);
    expect(await isIn(await gateway.signedIn('ann'))).toBe(true);
  },
);

test.each([
  [{ user: 'annn' }, "there is no user 'annn'; did you mean 'ann'?", 'ann'],
  [{ role: 'acess' }, "there is no role 'acess'; did you mean 'access'?", 'access'],
  [{ node: 'db-1' }, "there is no server 'db-1'", undefined],
  [{ database: 'shop' }, "there is no database 'shop'", undefined],
  [{ windows_desktop: 'pc-1' }, "there is no desktop 'pc-1'", undefined],
  [{ agent: 'a-1' }, "there is no agent 'a-1'", undefined],
  [{ login: 'nobody' }, "no role and no account gives the login 'nobody'", undefined],
] as const)('a lock on %j, which nobody has, asks first', async (targets, message, meant) => {
  const [kind, name] = Object.entries(targets)[0]!;
  await expect(lock(admin, targets)).rejects.toMatchObject({
    status: 409,
    message,
    fields: { unknownTarget: { kind, name, ...(meant ? { meant } : {}) } },
  });
  expect(await list(admin)).toEqual([]);

  await expect(lock(admin, targets, { force: true })).resolves.toMatchObject({ ended: { signIns: 0, sessions: 0 } });
});

test('what a lock ended is told by the call that made it, and by no other', async () => {
  await gateway.signedIn('ann');
  await gateway.signedIn('ann');

  const made = await lock(admin, { user: 'ann' });

  expect(made.ended).toEqual({ signIns: 2, sessions: 0, stillOpen: 0 });
  expect((await list(admin))[0]).not.toHaveProperty('ended');
});

test('a lock runs out by itself', async () => {
  await lock(admin, { user: 'ann' }, { ttlSeconds: 60 });
  expect(await list(admin)).toHaveLength(1);

  gateway.clock.advance(60_001);

  expect(await list(admin)).toEqual([]);
  expect(await isIn(await gateway.signedIn('ann'))).toBe(true);
});

test('a token opens nothing while its user is locked, and works again afterwards', async () => {
  const ann = await gateway.signedIn('ann');
  const { token } = await call(ann.send, apiTokenRoutes.create, { body: { name: 'script', scope: 'all' } });
  const send = sendTo(gateway.app, { authorization: `Bearer ${token}` });
  const { name } = await lock(admin, { user: 'ann' });

  await expect(call(send, clusterRoutes.sites, {})).rejects.toMatchObject({ status: 403 });
  await lift(admin, name);
  await expect(call(send, clusterRoutes.sites, {})).resolves.toBeDefined();
});

test('a lock on a login, a server or an agent forbids what the roles allow', async () => {
  const content =
    "kind: role\nversion: v6\nmetadata: {name: root}\nspec: {allow: {logins: [root, web], node_labels: {'*': '*'}}}\n";
  await call(admin.send, roleRoutes.create, { body: { content } });
  const subject = { username: 'ann', roles: ['root'], traits: {} };
  const actor = {
    ...subject,
    signInId: 's',
    signInKind: 'browser',
    authType: 'local',
    acl: gateway.access.aclOf(subject),
  } as Actor;
  const may = (login: string, id: string, owner: string) => {
    const action: Action = {
      type: 'connect',
      kind: 'node',
      login,
      resource: { id, owner, name: `host-${id}`, labels: {} },
    };
    return gateway.access.decide(actor, action).allowed;
  };

  expect(may('root', 'n1', 'a1')).toBe(true);
  await lock(admin, { login: 'root' });
  await lock(admin, { node: 'host-n2' }, { force: true });
  await lock(admin, { agent: 'a3' }, { force: true });

  expect([may('root', 'n1', 'a1'), may('web', 'n1', 'a1')]).toEqual([false, true]);
  expect(may('web', 'n2', 'a1')).toBe(false);
  expect([may('web', 'n4', 'a3'), may('web', 'n4', 'a33')]).toEqual([false, true]);
});

test('making and lifting a lock is audited', async () => {
  const { name } = await lock(admin, { user: 'ann' }, { message: 'why' });
  await lift(admin, name);

  const events = (await gateway.events()).filter(({ code }) => code.startsWith('TLK'));
  expect(events.map(({ code, user, data }) => [code, user, data.name, data.target])).toEqual([
    ['TLK00I', 'admin', name, { user: 'ann' }],
    ['TLK01I', 'admin', name, { user: 'ann' }],
  ]);
});

test('the last administrator cannot be locked', async () => {
  await expect(lock(admin, { user: 'admin' })).rejects.toMatchObject({ status: 409 });
  await expect(lock(admin, { role: 'editor' })).rejects.toMatchObject({ status: 409 });
  await gateway.addUser('bea', { roles: ['editor'] });
  await expect(lock(admin, { user: 'bea' })).resolves.toBeDefined();
  await expect(lock(admin, { user: 'admin' })).rejects.toMatchObject({ status: 409 });
});

test('what is not a target, or several at once, is refused', async () => {
  await expect(lock(admin, {})).rejects.toMatchObject({ status: 400 });
  await expect(lock(admin, { user: 'ann', role: 'access' })).rejects.toMatchObject({ status: 400 });
  await expect(lock(admin, { planet: 'x' })).rejects.toMatchObject({ status: 400 });
  await expect(lift(admin, 'none')).rejects.toMatchObject({ status: 404 });
});

describe('who may not', () => {
  const calls = (browser: TestBrowser) => [list(browser), lock(browser, { user: 'ann' }), lift(browser, 'x')];

  test('without a sign-in, or without the verbs, nothing is answered', async () => {
    for (const made of calls(gateway.browser())) await expect(made).rejects.toMatchObject({ status: 403 });
    for (const made of calls(await gateway.signedIn('ann'))) await expect(made).rejects.toMatchObject({ status: 403 });
  });

  test('all verbs on locks lock servers, logins and roles that are held; people take the right over people', async () => {
    const content =
      'kind: role\nversion: v6\nmetadata: {name: warden}\nspec: {allow: {rules: [{resources: [lock], verbs: ["*"]}]}}\n';
    await call(admin.send, roleRoutes.create, { body: { content } });
    await gateway.addUser('wil', { roles: ['warden', 'access'] });
    const warden = await gateway.signedIn('wil');

    const { name } = await lock(warden, { node: 'db-1' }, { force: true });
    expect(await list(warden)).toHaveLength(1);
    await lift(warden, name);
    await expect(lock(warden, { role: 'editor' })).rejects.toMatchObject({ status: 403 });
    // Whether there is such a user does not show, whatever the name.
    for (const user of ['ann', 'nobody']) {
      await expect(lock(warden, { user }, { force: true })).rejects.toMatchObject({ status: 404 });
      await expect(lock(warden, { user })).rejects.toMatchObject({ status: 404 });
    }
  });

  test('what was meant is told of what they may know only: no login, role or agent of others, nor whether there is one', async () => {
    const rules =
      '[{resources: [lock], verbs: ["*"]}, {resources: [user, role, token], verbs: [list], where: "equals(resource.metadata.name, \\"seen\\")"}]';
    for (const [name, logins, more] of [
      ['warden', 'held-login', `, rules: ${rules}`],
      [
        'seen',
        "seen-login, '{{external.logins}}', 'x-{{external.unix}}'",
        ', db_names: [mmiiuuoo], kubernetes_groups: [ppaaggee]',
      ],
      ['hidden-role', 'zzqqwwpp', ', windows_desktop_logins: [kkjjvvbb]'],
    ])
      await call(admin.send, roleRoutes.create, {
        body: {
          content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {logins: [${logins}]${more}}}\n`,
        },
      });
    for (const [name, roles, traits] of [
      [
        'seen',
        ['access', 'seen'],
        { logins: ['trait-login'], awsRoleArns: ['llddxxee'], 'external.logins': ['said-login'], unix: ['own'] },
      ],
      ['hidden', ['access'], { logins: ['rrttyyuu'], kubeUsers: ['ffggcchh'] }],
      ['wil', ['warden'], { logins: ['own-login'] }],
    ] as const) {
      await gateway.addUser(name, { roles: [...roles] });
      await gateway.storage.db
        .transaction()
        .execute((tx) => updateUser(tx, name, { roles: [...roles], traits: traits as never }));
    }
    await join(gateway.send, { token: await newJoinToken(admin.send), name: 'hidden-agent' });
    const warden = await gateway.signedIn('wil');
    const told = async (targets: Record<string, string>) =>
      await lock(warden, targets).then(
        () => 'there',
        ({ status, fields }) => (status === 409 ? (fields.unknownTarget.meant ?? 'nothing') : status),
      );

    const known = ['held-login', 'seen-login', 'trait-login', 'own-login', 'said-login', 'x-own'];
    for (const login of known) expect(await told({ login: `${login}s` })).toBe(login);
    for (const login of known) expect(await told({ login })).toBe('there');
    // Neither the very name nor a near one tells of them: a lock on a login meets no database, group or role of a cloud.
    const unknown = ['zzqqwwpp', 'kkjjvvbb', 'rrttyyuu', 'ffggcchh'];
    for (const login of [...unknown, 'mmiiuuoo', 'ppaaggee', 'llddxxee'])
      expect([login, await told({ login }), await told({ login: `${login}x` })]).toEqual([login, 'nothing', 'nothing']);
    for (const role of ['hidden-role', 'hidden-rol']) expect(await told({ role })).toBe(403);
    expect(await told({ agent: 'hidden-agent' })).toBe('nothing');
    expect(await told({ agent: 'hidden-agen' })).toBe('nothing');
  });

  test('a helpdesk locks and unlocks only those who hold no more than it does', async () => {
    const content =
      'kind: role\nversion: v6\nmetadata: {name: helpdesk}\nspec: {allow: {rules: [{resources: [user, lock], verbs: ["*"]}]}}\n';
    await call(admin.send, roleRoutes.create, { body: { content } });
    await gateway.addUser('help', { roles: ['helpdesk', 'access'] });
    const help = await gateway.signedIn('help');
    const { name } = await lock(admin, { role: 'auditor' });

    await expect(lock(help, { user: 'admin' })).rejects.toMatchObject({ status: 403 });
    await expect(lock(help, { role: 'editor' })).rejects.toMatchObject({ status: 403 });
    await expect(lift(help, name)).rejects.toMatchObject({ status: 403 });
    await expect(lock(help, { user: 'ann' })).resolves.toBeDefined();
  });
});
