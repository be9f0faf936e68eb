import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const apply = (browser: TestBrowser, documents: string, more: { dryRun?: boolean } = {}) =>
  call(browser.send, applyRoutes.apply, { params, body: { documents, ...more } });
const exported = (browser: TestBrowser, query: { kinds?: string; name?: string; revisions?: 'yes' } = {}) =>
  call(browser.send, applyRoutes.export, { params, query });
const get = (username: string) => call(admin.send, userRecordRoutes.get, { params: { username } });
const roleNames = async () => (await call(admin.send, roleRoutes.list, {})).map(({ name }) => name);

const role = (name: string, spec = 'allow: {logins: [root]}') =>
  `# of ${name}\nkind: role\nversion: v6\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;
const user = (name: string, roles: string, traits = '{}') =>
  `kind: user\nversion: v2\nmetadata:\n  name: ${name}\nspec:\n  roles: ${roles}\n  traits: ${traits}\n`;
const ALL = [
  user('ann', '[dev]', '{logins: [ann], db_users: [app], team: [blue]}'),
  role('dev'),
  'kind: lock\nversion: v2\nmetadata: {name: no-root}\nspec: {target: {login: root}, message: not today}\n',
].join('---\n');

test('roles, users and locks come from one text, whatever their order', async () => {
  const { items } = await apply(admin, ALL);

  expect(items.map(({ kind, name, action, line }) => [kind, name, action, line])).toEqual([
    ['user', 'ann', 'created', 1],
    ['role', 'dev', 'created', 9],
    ['lock', 'no-root', 'created', 17],
  ]);
  expect(items[1]?.diff).toContain('--- /dev/null\n+++ role/dev\n@@ -0,0 +1,7 @@\n+# of dev\n');
  expect(await get('ann')).toMatchObject({ roles: ['dev'], traits: { logins: ['ann'], databaseUsers: ['app'] } });
  expect(await call(admin.send, lockRoutes.list, { params })).toMatchObject([{ name: 'no-root' }]);
  expect(gateway.access.role('dev')).toBeDefined();
});

test('applied again nothing changes, and nothing is written', async () => {
  await apply(admin, ALL);
  const events = (await gateway.events()).length;

  const { items } = await apply(admin, ALL);

  expect(items.map(({ action, diff }) => [action, diff])).toEqual(Array(3).fill(['unchanged', '']));
  expect(await gateway.events()).toHaveLength(events);
});

test('what is given back can be applied as it is, with and without revisions', async () => {
  await apply(admin, ALL);

  for (const query of [{}, { revisions: 'yes' as const }]) {
    const { documents, count } = await exported(admin, query);
    const { items } = await apply(admin, documents);

    expect(count).toBe(7);
    expect(new Set(items.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  }
  const { documents } = await exported(admin);
  expect(documents).toContain('# Who reaches what is decided by the traits of the user.');
  expect(documents).not.toMatch(/password|hash|revision/);
  expect((await exported(admin, { kinds: 'user', name: 'ann' })).documents).toBe(
    'kind: user\nmetadata:\n  name: ann\nspec:\n  roles:\n  - dev\n  traits:\n    db_users:\n    - app\n    logins:\n    - ann\n    team:\n    - blue\nversion: v2\n',
  );
  await expect(exported(admin, { kinds: 'user', name: 'nobody' })).rejects.toMatchObject({ status: 404 });
  await expect(exported(admin, { kinds: 'planet' })).rejects.toMatchObject({ status: 400 });
});

test('what an empty gateway gives back makes another one the same', async () => {
  await apply(admin, ALL);
  const { documents } = await exported(admin);
  const other = await startIdentityGateway();
  try {
    await other.addUser('root', { roles: ['editor'] });
    const root = await other.signedIn('root');

    await apply(root, documents);

    const again = await exported(root);
    expect(again.documents.replace(/kind: user\nmetadata:\n {2}name: root\n[\s\S]*?(---\n|$)/, '')).toBe(documents);
  } finally {
    await other.close();
  }
});

test('a dry run says all that would happen, and does none of it', async () => {
  await apply(admin, role('dev'));
  const events = (await gateway.events()).length;

  const { dryRun, items } = await apply(admin, `${role('dev', 'allow: {logins: [web]}')}---\n${user('ann', '[dev]')}`, {
    dryRun: true,
  });

  expect(dryRun).toBe(true);
  expect(items.map(({ action }) => action)).toEqual(['changed', 'created']);
  expect(items[0]?.diff).toContain('-  allow: {logins: [root]}\n+  allow: {logins: [web]}\n');
  await expect(get('ann')).rejects.toMatchObject({ status: 404 });
  expect((await apply(admin, role('dev'))).items[0]?.action).toBe('unchanged');
  expect(await gateway.events()).toHaveLength(events);
});

test('one document that cannot be applied keeps all the others away', async () => {
  const wrong = [
    user('ann', '[nothing]'),
    role('Editor'),
    user('Admin', '[dev]'),
    user('a/b', '[dev]'),
    user('invite', '[dev]'),
    'kind: lock\nversion: v2\nmetadata: {name: x}\nspec: {target: {user: admin}}\n',
    role('editor'),
    user('admin', '[dev]'),
  ];
  for (const document of wrong) {
    await expect(apply(admin, `${role('dev')}---\n${user('zoe', '[dev]')}---\n${document}`)).rejects.toMatchObject({
      status: expect.toSatisfy((status: number) => status === 400 || status === 409),
    });
    expect(await roleNames()).toEqual(['access', 'auditor', 'editor']);
    await expect(get('zoe')).rejects.toMatchObject({ status: 404 });
  }
});

test('the last way in may go to somebody else in the same text, and not be lost', async () => {
  await gateway.addUser('bea', { roles: ['access'] });
  const swap = `${user('bea', '[editor]')}---\n${user('admin', '[access]')}`;

  await expect(apply(admin, user('admin', '[access]'))).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('last way in'),
  });
  await expect(apply(admin, swap)).resolves.toBeDefined();
});

test.each([
  [
    'an unknown field',
    'kind: user\nversion: v2\nmetadata: {name: a}\nspec: {roles: [x], trait: {}}\n',
    11,
    "did you mean 'traits'?",
  ],
  ['an unknown kind', 'kind: usr\n', 8, "did you mean 'user'?"],
  ['no kind', 'version: v2\n', 8, 'is missing'],
  ['a role that is wrong', role('x', 'allow: {login: [a]}'), 14, "did you mean 'logins'?"],
  ['YAML that is none', 'kind: [\n', 9, 'not valid YAML'],
  [
    'two targets',
    'kind: lock\nversion: v2\nmetadata: {name: a}\nspec: {target: {user: a, role: b}}\n',
    11,
    'exactly one',
  ],
])('%s is refused with the line of the whole text', async (_, document, line, message) => {
  await expect(
    apply(admin, `${role('dev', 'allow: {}').replace('# of dev\n', '')}---\n${document}`),
  ).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
    fields: { issues: [{ line }] },
  });
});

test('the same thing twice, and nothing at all, are refused', async () => {
  await expect(apply(admin, `${role('dev')}---\n${role('dev')}`)).rejects.toMatchObject({
    message: "line 9: role 'dev' is written twice, first on line 1",
  });
  await expect(apply(admin, '# nothing\n---\n')).rejects.toMatchObject({ status: 400 });
});

test('a document with an old revision is a conflict, and with the right one is not', async () => {
  await apply(admin, `${role('dev')}---\n${user('ann', '[dev]')}`);
  const { documents } = await exported(admin, { kinds: 'role,user', revisions: 'yes' });
  const [theirs, mine] = ['web', 'deploy'].map((login) => documents.replace('logins: [root]', `logins: [${login}]`));
  await apply(admin, theirs ?? '');

  await expect(apply(admin, mine ?? '')).rejects.toMatchObject({
    code: 'compare_failed',
    fields: { document: { kind: 'role', name: 'dev' } },
  });
  await apply(admin, user('ann', '[access]'));
  const stale = (await exported(admin, { kinds: 'user', name: 'ann', revisions: 'yes' })).documents;
  await apply(admin, user('ann', '[auditor]'));
  await expect(apply(admin, stale)).rejects.toMatchObject({ code: 'compare_failed' });
  await expect(apply(admin, role('gone').replace('name: gone', 'name: gone\n  revision: x'))).rejects.toMatchObject({
    code: 'compare_failed',
  });
});

test('documents of the product people come from are taken, without what belongs to their store', async () => {
  const brought = `kind: user
metadata:
  id: 1667300000000000000
  name: ann
spec:
  created_by: {time: "2022-01-01T00:00:00Z", user: {name: root}}
  expires: "0001-01-01T00:00:00Z"
  roles: [access]
  status: {is_locked: false}
  traits:
    logins: [ann]
    kubernetes_groups: null
    windows_logins: [Ann]
version: v2
`;

  await apply(admin, brought);

  expect(await get('ann')).toMatchObject({ roles: ['access'], traits: { logins: ['ann'], windowsLogins: ['Ann'] } });
});

test('a trait that the document does not name is gone', async () => {
  await apply(admin, user('ann', '[access]', '{logins: [ann], team: [a]}'));
  await apply(admin, user('ann', '[access]', '{logins: [ann]}'));

  const row = await gateway.storage.db.selectFrom('user').select('traits').where('name', '=', 'ann').executeTakeFirst();
  expect(JSON.parse(row?.traits ?? '')).toEqual({ logins: ['ann'] });
});

test('every change is audited with what was before and after', async () => {
  await apply(admin, ALL);
  await apply(admin, `${role('dev', 'allow: {}')}---\n${user('ann', '[access]')}`);

  const events = (await gateway.events()).filter(({ user: who, code }) => who === 'admin' && code !== 'T1000I');
  expect(events.map(({ code, data }) => [code, data.name])).toEqual([
    ['T9000I', 'dev'],
    ['T1002I', 'ann'],
    ['TLK00I', 'no-root'],
    ['GH130I', 'dev'],
    ['T1003I', 'ann'],
  ]);
  expect(events[4]?.data).toMatchObject({ before: { roles: ['dev'] }, after: { roles: ['access'], traits: {} } });
});

test('the log tells when a lock runs out that came as a document', async () => {
  const expires = '2099-01-01T00:00:00.000Z';
  await apply(
    admin,
    `kind: lock\nversion: v2\nmetadata: {name: a}\nspec: {target: {login: root}, expires: "${expires}"}\n`,
  );

  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'TLK00I', data: { name: 'a', expires } });
});

describe('who may not', () => {
  test('without a sign-in or the verbs nothing is applied or given back', async () => {
    await gateway.addUser('ann', { roles: ['access', 'auditor'] });
    for (const browser of [gateway.browser(), await gateway.signedIn('ann')]) {
      await expect(apply(browser, role('x'))).rejects.toMatchObject({ status: 403 });
      await expect(apply(browser, 'nonsense: [', { dryRun: true })).rejects.toMatchObject({ status: 403 });
      await expect(exported(browser)).rejects.toMatchObject({ status: 403 });
    }
  });

  test('a helpdesk applies nothing that gives more than it holds, nor acts on those who do', async () => {
    await apply(
      admin,
      `${role('helpdesk', 'allow: {rules: [{resources: [user, lock], verbs: ["*"]}]}')}---\n${user('ann', '[access]')}`,
    );
    await gateway.addUser('help', { roles: ['helpdesk', 'access'] });
    const help = await gateway.signedIn('help');
    const lock = (target: string) => `kind: lock\nversion: v2\nmetadata: {name: l}\nspec: {target: {${target}}}\n`;

    for (const document of [
      role('x'),
      role('helpdesk'),
      user('new', '[editor]'),
      user('ann', '[access, auditor]'),
      user('admin', '[access]'),
      user('help', '[helpdesk, editor]'),
      user('ann', '[access]', '{logins: [root]}'),
      user('ann', '[access]', '{"__proto__x": [root]}'),
      lock('user: admin'),
      lock('role: editor'),
    ]) {
      await expect(apply(help, document), document).rejects.toMatchObject({ status: 403 });
      await expect(apply(help, document, { dryRun: true }), document).rejects.toMatchObject({ status: 403 });
    }
    await expect(apply(help, `${user('tom', '[access]')}---\n${lock('user: ann')}`)).resolves.toBeDefined();
    expect(await exported(help)).toMatchObject({
      omitted: ['role', 'github', 'oidc', 'saml', 'trusted_cluster', 'app', 'kube_cluster', 'db', 'windows_desktop'],
    });
  });

  test('a helpdesk lifts no denial by taking a role or a trait away, from itself or others', async () => {
    await apply(
      admin,
      [
        role('helpdesk', 'allow: {rules: [{resources: [user], verbs: ["*"]}]}'),
        role('no-root', 'deny: {logins: [root]}'),
        role('not-mine', "deny: {node_labels: {team: '{{external.barred}}'}}"),
        user('help', '[helpdesk, no-root, not-mine]', '{barred: [red], logins: [help]}'),
      ].join('---\n'),
    );
    await gateway.storage.db
      .updateTable('user')
      .set({ password_hash: await gateway.passwords.hash(PASSWORD) })
      .where('name', '=', 'help')
      .execute();
    const help = await gateway.signedIn('help');
    const own = (roles: string, traits: string) => apply(help, user('help', roles, traits));

    await expect(own('[helpdesk, not-mine]', '{barred: [red], logins: [help]}')).rejects.toMatchObject({ status: 403 });
    await expect(own('[helpdesk, no-root, not-mine]', '{logins: [help]}')).rejects.toMatchObject({ status: 403 });
    const body = { name: 'help', roles: ['helpdesk'] };
    await expect(call(help.send, userRecordRoutes.update, { body })).rejects.toMatchObject({ status: 403 });
    await expect(own('[helpdesk, no-root, not-mine]', '{barred: [red]}')).resolves.toBeDefined();
    await expect(apply(admin, user('help', '[helpdesk]'))).resolves.toBeDefined();
  });

  test('a right with a condition writes no role, and reaches only the users it names', async () => {
    await apply(
      admin,
      [
        role(
          'some',
          `allow: {rules: [{resources: [role, user], verbs: ["*"], where: 'resource.metadata.name == "ann"'}]}`,
        ),
        user('ann', '[some]'),
        user('ben', '[some]'),
      ].join('---\n'),
    );
    await gateway.addUser('tom', { roles: ['some'] });
    const tom = await gateway.signedIn('tom');

    await expect(apply(tom, role('ann'))).rejects.toMatchObject({ status: 403 });
    await expect(apply(tom, user('ben', '[some]'))).rejects.toMatchObject({ status: 404 });
    await expect(apply(tom, user('ann', '[some]'))).resolves.toMatchObject({ items: [{ action: 'unchanged' }] });
    expect((await exported(tom, { kinds: 'user' })).count).toBe(1);
  });

  test('names with other cases, scripts, dots and prefixes are other people', async () => {
    await apply(admin, user('ann', '[access]'));

    for (const name of ['Ann', 'аnn', '"ann."', 'an', 'ann2']) {
      const before = await get('ann');
      await apply(admin, user(name, '[auditor]')).catch(() => undefined);
      expect(await get('ann')).toEqual(before);
    }
    await expect(apply(admin, user('Ann', '[auditor]'))).rejects.toMatchObject({ status: 409 });
    await expect(apply(admin, user('аnn', '[auditor]'))).rejects.toMatchObject({ status: 409 });
  });
});
