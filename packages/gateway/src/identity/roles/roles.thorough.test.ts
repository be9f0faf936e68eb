import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const document = (name: string, spec = '  allow: {}') =>
  `# kept\nkind: role\nversion: v6\nmetadata:\n  name: ${name}\nspec:\n${spec}\n`;
const rules = (...rules: string[]) => `  allow:\n    rules:\n${rules.map((rule) => `    - ${rule}`).join('\n')}`;

const create = (browser: TestBrowser, content: string) => call(browser.send, roleRoutes.create, { body: { content } });
const update = (browser: TestBrowser, name: string, content: string, revision?: string) =>
  call(browser.send, roleRoutes.update, { params: { name }, body: { content, ...(revision ? { revision } : {}) } });
const remove = (browser: TestBrowser, name: string) => call(browser.send, roleRoutes.remove, { params: { name } });
const list = (browser: TestBrowser) => call(browser.send, roleRoutes.list, {});

test('a new cluster has the ready-made roles, as documents', async () => {
  const roles = await list(admin);

  expect(roles.map(({ id }) => id)).toEqual(['role:access', 'role:auditor', 'role:editor']);
  expect(roles[0]?.content).toContain('{{internal.logins}}');
});

test('a role comes back as it was written, comments and order kept', async () => {
  const content = document('dev', "  # which\n  allow:\n    logins: [b, a]   # who\n    node_labels: {z: '1', a: '2'}");

  const made = await create(admin, content);

  expect(made).toMatchObject({ id: 'role:dev', kind: 'role', name: 'dev', content });
  expect((await list(admin)).find(({ name }) => name === 'dev')?.content).toBe(content);
});

test('a document that is wrong is refused with its place', async () => {
  await expect(create(admin, document('dev', '  allow:\n    login: [a]'))).rejects.toMatchObject({
    status: 400,
    message: "line 8, column 5: 'spec.allow.login' is not a field here; did you mean 'logins'?",
    fields: { issues: [{ path: 'spec.allow.login', line: 8, column: 5 }] },
  });
});

test('a permission that gives nothing is told', async () => {
  expect(await create(admin, document('dev', "  allow: {logins: ['web-*']}"))).toMatchObject({
    notes: [expect.stringContaining("'web-*' is a pattern")],
  });
});

test('names that exist, or look like one that does, are refused', async () => {
  await create(admin, document('dev'));

  for (const name of ['dev', 'Dev', 'DEV', 'dеv', 'éditor', 'acce\u017fs']) {
    await expect(create(admin, document(name)), name).rejects.toMatchObject({ status: 409 });
  }
  for (const name of ['de', 'devs', 'd.ev']) await expect(create(admin, document(name))).resolves.toBeDefined();
});

test('which role a name looks like is told only to those who may list that one', async () => {
  await create(admin, document('payroll').replace('name: payroll', 'name: payroll\n  labels: {team: finance}'));
  const where = `where: 'equals(resource.metadata.labels["team"], "web")'`;
  const some = rules('{resources: [role], verbs: [create, update]}', `{resources: [role], verbs: [list], ${where}}`);
  await create(admin, document('maker', some));
  await gateway.addUser('eve', { roles: ['maker'] });
  const eve = await gateway.signedIn('eve');
  const tries = (as: TestBrowser) => [
    () => create(as, document('Payroll')),
    () =>
      call(as.send, applyRoutes.apply, {
        params: { clusterId: '-current-' },
        body: { documents: document('Payroll') },
      }),
  ];

  for (const told of tries(admin))
    await expect(told()).rejects.toMatchObject({ message: expect.stringContaining("role 'payroll'") });
  for (const told of tries(eve))
    await expect(told()).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('looks like that of another role'),
    });
});

test('names with slashes and dots neither make nor reach another role', async () => {
  await create(admin, document('a.b'));

  await expect(create(admin, document('a/b'))).rejects.toMatchObject({ status: 400 });
  await expect(remove(admin, 'a')).rejects.toMatchObject({ status: 404 });
  await expect(remove(admin, 'a.b/..')).rejects.toMatchObject({ status: 404 });
  await expect(remove(admin, 'A.B')).rejects.toMatchObject({ status: 404 });
  await expect(remove(admin, '../users/admin')).rejects.toMatchObject({ status: 404 });
});

test('the second of two writers gets a conflict', async () => {
  const { revision } = await create(admin, document('dev'));
  await update(admin, 'dev', document('dev', '  allow: {logins: [a]}'), revision);

  await expect(update(admin, 'dev', document('dev', '  allow: {logins: [b]}'), revision)).rejects.toMatchObject({
    status: 412,
  });
  const stale = call(admin.sendWith({ 'if-match': `"${revision}"` }), roleRoutes.update, {
    params: { name: 'dev' },
    body: { content: document('dev') },
  });
  await expect(stale).rejects.toMatchObject({ status: 412 });
  expect((await list(admin)).find(({ name }) => name === 'dev')?.content).toContain('logins: [a]');
});

test('a role cannot be renamed, and only one that exists can be changed', async () => {
  await create(admin, document('dev'));

  await expect(update(admin, 'dev', document('ops'))).rejects.toMatchObject({ status: 400 });
  await expect(update(admin, 'ops', document('ops'))).rejects.toMatchObject({ status: 404 });
});

test('every change is audited with what was before and after', async () => {
  const after = document('dev', '  allow: {logins: [a]}');
  await create(admin, document('dev'));
  await update(admin, 'dev', after);
  await remove(admin, 'dev');

  const events = (await gateway.events()).filter(({ data }) => data.name === 'dev');
  expect(events.map(({ code, user, data }) => [code, user, data.before, data.after])).toEqual([
    ['T9000I', 'admin', undefined, document('dev')],
    ['GH130I', 'admin', document('dev'), after],
    ['T9001I', 'admin', after, undefined],
  ]);
});

test('a role that somebody holds is not deleted, and says who', async () => {
  await create(admin, document('dev'));
  await gateway.addUser('ann', { roles: ['dev', 'access'] });

  await expect(remove(admin, 'dev')).rejects.toMatchObject({ status: 409, fields: { users: ['ann'], count: 1 } });
});

describe('the last way back in', () => {
  test('is not taken by an edit', async () => {
    await expect(update(admin, 'editor', document('editor'))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('last way in'),
    });
    expect((await list(admin)).map(({ name }) => name)).toContain('editor');
  });

  test('is not given by somebody who cannot sign in, or under a condition', async () => {
    await create(admin, document('boss', rules('{resources: [role, user], verbs: ["*"]}')));
    const limited = '{resources: [role, user], verbs: ["*"], where: resource.metadata.name != "y"}';
    await create(admin, document('limited', rules(limited)));
    await gateway.addUser('lim', { roles: ['limited'] });
    await gateway.addUser('ghost', { roles: ['boss'], password: null });

    await expect(update(admin, 'editor', document('editor'))).rejects.toMatchObject({ status: 409 });
  });

  test('may be given up once somebody else has one', async () => {
    await create(admin, document('boss', rules('{resources: [role, user], verbs: ["*"]}')));
    await gateway.addUser('bea', { roles: ['boss'] });

    await expect(update(admin, 'editor', document('editor'))).resolves.toBeDefined();
    await expect(list(admin)).rejects.toMatchObject({ status: 403 });
  });
});

test('a custom role counts at once, and its change without signing in again', async () => {
  await create(admin, document('watch', rules('{resources: [role], verbs: [list, read]}')));
  await gateway.addUser('ann', { roles: ['watch'] });
  const ann = await gateway.signedIn('ann');

  expect(await list(ann)).toHaveLength(4);
  await update(
    admin,
    'watch',
    document('watch', rules('{resources: [role], verbs: [list], where: resource.metadata.name == "watch"}')),
  );
  expect((await list(ann)).map(({ name }) => name)).toEqual(['watch']);
  await update(admin, 'watch', document('watch'));
  await expect(list(ann)).rejects.toMatchObject({ status: 403 });
});

test('the user context shows the acl, flags and strategy of the roles', async () => {
  await create(
    admin,
    document(
      'dev',
      '  allow:\n    node_labels: {env: dev}\n  options: {desktop_clipboard: false, request_access: reason, request_prompt: why}',
    ),
  );
  await gateway.addUser('ann', { roles: ['dev'] });
  const ann = await gateway.signedIn('ann');

  const context = await call(ann.send, clusterRoutes.context, { params: { clusterId: '-current-' } });

  expect(context.userAcl.nodes).toEqual({ list: true, read: true, edit: false, create: false, remove: false });
  expect(context.userAcl.dbServers.list).toBe(false);
  expect(context.userAcl).toMatchObject({ clipboardSharingEnabled: false, directorySharingEnabled: true });
  expect(context.accessStrategy).toEqual({ type: 'reason', prompt: 'why' });
});

describe('who may not', () => {
  const calls = (browser: TestBrowser) => [
    list(browser),
    create(browser, document('x')),
    update(browser, 'auditor', document('auditor')),
    remove(browser, 'auditor'),
  ];

  test('without a sign-in nothing is answered', async () => {
    for (const made of calls(gateway.browser())) await expect(made).rejects.toMatchObject({ status: 403 });
  });

  test('without the verb nothing is answered', async () => {
    await gateway.addUser('ann', { roles: ['access', 'auditor'] });
    for (const made of calls(await gateway.signedIn('ann'))) await expect(made).rejects.toMatchObject({ status: 403 });
  });

  test('a right with a condition does not let anybody write a role', async () => {
    await create(
      admin,
      document('own', rules('{resources: [role], verbs: ["*"], where: resource.metadata.name == "own"}')),
    );
    await gateway.addUser('ann', { roles: ['own'] });
    const ann = await gateway.signedIn('ann');

    await expect(update(ann, 'own', document('own', rules('{resources: ["*"], verbs: ["*"]}')))).rejects.toMatchObject({
      status: 403,
    });
  });

  test('who may edit users but not roles gives nothing they do not hold', async () => {
    await create(admin, document('helpdesk', rules('{resources: [user], verbs: ["*"]}')));
    await gateway.addUser('help', { roles: ['helpdesk', 'access'] });
    await gateway.addUser('ann', { roles: ['access'] });
    const help = await gateway.signedIn('help');
    const invite = (roles: string[], traits = {}) =>
      call(help.send, userRoutes.invite, { body: { name: `new-${roles.join('-')}`, roles, traits } });
    const reset = (name: string) => call(help.send, passwordRoutes.createToken, { body: { name, type: 'password' } });

    await expect(invite(['editor'])).rejects.toMatchObject({ status: 403 });
    await expect(invite(['access', 'auditor'])).rejects.toMatchObject({ status: 403 });
    await expect(invite(['access'], { logins: ['root'] })).rejects.toMatchObject({ status: 403 });
    await expect(reset('admin')).rejects.toMatchObject({ status: 403 });
    await expect(invite(['access'])).resolves.toBeDefined();
    await expect(reset('ann')).resolves.toBeDefined();
    await expect(invite(['nobody'])).rejects.toMatchObject({ status: 403 });
  });
});

test('a stored document that can no longer be read denies everything to its holders, and can be put right', async () => {
  await gateway.storage.db.updateTable('role').set({ content: 'kind: [' }).where('name', '=', 'auditor').execute();
  await gateway.addUser('ann', { roles: ['auditor', 'editor'] });
  await gateway.access.refreshRole('auditor');
  const ann = await gateway.signedIn('ann');

  await expect(list(ann)).rejects.toMatchObject({ status: 403 });
  await expect(update(admin, 'auditor', document('auditor'))).resolves.toBeDefined();
  await expect(list(ann)).resolves.toHaveLength(3);
});

test('a role stops counting when it expires', async () => {
  const expires = new Date(gateway.clock.now + 60_000).toISOString();
  await create(
    admin,
    document('soon', rules('{resources: [role], verbs: [list]}')).replace(
      'name: soon',
      `name: soon\n  expires: "${expires}"`,
    ),
  );
  await gateway.addUser('ann', { roles: ['soon'] });
  const ann = await gateway.signedIn('ann');

  await expect(list(ann)).resolves.toBeDefined();
  gateway.clock.advance(60_001);
  await expect(list(ann)).rejects.toMatchObject({ status: 403 });
});
