import { denialRoutes } from '@gatehouse/contract/access/explain/denials';
import { explainRoutes, type ResourceQuestion } from '@gatehouse/contract/access/explain/explain';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addRole, type ExplainWorld, startExplainWorld } from '../../../testing/explain/explain-world.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };

let world: ExplainWorld;
let admin: TestBrowser;
beforeEach(async () => {
  world = await startExplainWorld();
  ({ admin } = world);
});
afterEach(() => world.gateway.close());

const explain = (browser: TestBrowser, body: ResourceQuestion) =>
  call(browser.send, explainRoutes.explain, { params, body });
const who = (browser: TestBrowser, resource: string) =>
  call(browser.send, explainRoutes.who, { params, body: { resource } });
const reach = (browser: TestBrowser, user: string, more: object = {}) =>
  call(browser.send, explainRoutes.reach, { params, body: { user, ...more } });

describe('why', () => {
  test('an allowed connection names the role, the clause and the labels, and what would take it away', async () => {
    expect(await explain(admin, { user: 'ann', resource: 'web-1', login: 'root' })).toMatchObject({
      allowed: true,
      user: 'ann',
      roles: ['dev'],
      asked: 'connect as root',
      resource: { kind: 'node', id: 'n1', name: 'web-1', labels: [{ name: 'env', value: 'dev' }] },
      reasons: [{ role: 'dev', side: 'allow', path: 'spec.allow.node_labels', labels: { env: 'dev' } }],
      change: [{ type: 'remove-clause', role: 'dev', path: 'spec.allow.node_labels' }],
      names: [{ field: 'logins', names: ['root', 'web'] }],
    });
  });

  test('a refused one names the smallest change, and the roles that would do', async () => {
    const answer = await explain(admin, { user: 'ann', kind: 'node', resource: 'n2', login: 'root' });

    expect(answer).toMatchObject({
      allowed: false,
      reasons: [],
      change: [{ type: 'add-label', role: 'dev', field: 'node_labels', key: 'env', value: 'prod' }],
      rolesThatWould: ['ops'],
      names: [],
    });
    expect(answer.sentence).toContain("adding 'env: prod' to spec.allow.node_labels of role 'dev'");
  });

  test('a name that comes from a trait is told with it, also when it is missing', async () => {
    await addRole(admin, 'own', "allow: {logins: ['{{internal.logins}}'], node_labels: {env: prod}}");
    await world.gateway.addUser('tom', { roles: ['own'] });

    expect(await explain(admin, { user: 'tom', resource: 'n2', login: 'tom' })).toMatchObject({
      allowed: false,
      change: [{ type: 'add-trait', trait: 'logins', value: 'tom' }],
    });
  });

  test('asked about any name, an account that lists none is told so, with where to add one', async () => {
    await addRole(admin, 'own', "allow: {logins: ['{{internal.logins}}'], node_labels: {env: prod}}");
    await world.gateway.addUser('tom', { roles: ['own'] });
    const tom = await world.gateway.signedIn('tom');

    expect(await explain(tom, { user: 'tom', kind: 'node', resource: 'n2', anyName: true })).toMatchObject({
      allowed: false,
      reasons: [],
      missing: [{ type: 'empty-trait', role: 'own', field: 'logins', trait: 'logins' }],
      change: [{ type: 'fill-trait', trait: 'logins' }],
    });

    // Whoever has one may be given another there, which a role that names them itself does not take from an account.
    await addRole(admin, 'named', 'allow: {logins: [deploy], node_labels: {env: prod}}');
    await world.gateway.addUser('tim', { roles: ['named'] });
    await world.gateway.addUser('tess', { roles: ['named', 'own'] });
    const ask = (user: string) => explain(admin, { user, kind: 'node', resource: 'n2', anyName: true });
    expect(await ask('tim')).toMatchObject({ allowed: true, fromTraits: [] });
    expect(await ask('tess')).toMatchObject({ allowed: true, fromTraits: [{ field: 'logins', trait: 'logins' }] });
  });

  test('asked about any name, a role that names none, one that is denied and one that has some are told apart', async () => {
    await addRole(admin, 'bare', 'allow: {node_labels: {env: prod}}');
    await addRole(admin, 'both', 'allow: {logins: [root], node_labels: {env: prod}}\n  deny: {logins: [root]}');
    await world.gateway.addUser('tom', { roles: ['bare'] });
    await world.gateway.addUser('tim', { roles: ['both'] });
    const ask = (user: string, resource: string) => explain(admin, { user, kind: 'node', resource, anyName: true });

    expect(await ask('tom', 'n2')).toMatchObject({
      allowed: false,
      missing: [{ type: 'none', role: 'bare' }],
      change: [{ type: 'name-principal', role: 'bare', field: 'logins' }],
    });
    expect(await ask('tim', 'n2')).toMatchObject({ allowed: false, missing: [{ type: 'denied', names: ['root'] }] });
    const able = await ask('ann', 'n1');
    expect(able).toMatchObject({ allowed: true });
    expect(able.missing).toBeUndefined();
    // What cannot be seen at all is answered as such.
    expect(await ask('ann', 'n2')).toMatchObject({ allowed: false, change: [{ type: 'add-label' }] });
  });

  test('asked about any name, a user of a database without a database in it is told both that and the user', async () => {
    const role = (name: string, users: string, names: string) =>
      addRole(admin, name, `allow: {db_labels: {'*': '*'}, db_users: [${users}], db_names: [${names}]}`);
    await role('neither', "'{{internal.db_users}}'", "'{{internal.db_names}}'");
    await role('user', 'app', "'{{internal.db_names}}'");
    await role('both', 'app', 'one');
    const ask = async (name: string) => {
      await world.gateway.addUser(`of-${name}`, { roles: [name] });
      return explain(admin, { user: `of-${name}`, kind: 'db', resource: 'orders', anyName: true });
    };

    expect(await ask('neither')).toMatchObject({
      allowed: false,
      missing: [{ field: 'db_users' }, { field: 'db_names', type: 'empty-trait', trait: 'db_names' }],
      change: [
        { type: 'fill-trait', trait: 'db_users' },
        { type: 'fill-trait', trait: 'db_names' },
      ],
      names: [],
    });
    expect(await ask('user')).toMatchObject({
      allowed: false,
      missing: [{ field: 'db_names' }],
      change: [{ type: 'fill-trait', trait: 'db_names' }],
      names: [{ field: 'db_users', names: ['app'] }],
    });
    expect(await ask('both')).toMatchObject({ allowed: true });
  });

  test('without a name it is about seeing, and rules can be asked about too', async () => {
    expect(await explain(admin, { user: 'ann', resource: 'n2' })).toMatchObject({ allowed: false, asked: 'see' });
    const body = { user: 'ann', rule: { resource: 'role', verb: 'update' } } as const;
    expect(await call(admin.send, explainRoutes.explain, { params, body })).toMatchObject({
      allowed: false,
      asked: 'update role',
      change: [{ type: 'add-rule', role: 'dev', resource: 'role', verb: 'update' }],
      rolesThatWould: ['editor'],
    });
  });

  test('a lock is told beside what the roles say, with what would lift it', async () => {
    const body = { targets: { login: 'root' }, message: 'no root today' };
    const { name } = await call(admin.send, lockRoutes.create, { params, body });

    const answer = await explain(admin, { user: 'ann', resource: 'n1', login: 'root' });

    expect(answer).toMatchObject({
      allowed: false,
      sentence: "denied: login 'root' is locked: no root today",
      lock: { name, target: 'login', targetName: 'root', message: 'no root today' },
      change: [{ type: 'lift-lock', lock: name }],
    });
    expect((await explain(admin, { user: 'ann', resource: 'n1', login: 'web' })).allowed).toBe(true);
  });

  test('databases, clusters and apps are asked about with their own names', async () => {
    await addRole(admin, 'data', 'allow: {db_labels: {"*": "*"}, db_users: [app], db_names: [one]}');
    await world.gateway.addUser('tom', { roles: ['data'] });
    const ask = (more: object) => explain(admin, { user: 'tom', kind: 'db', resource: 'orders', ...more });

    expect((await ask({ dbUser: 'app', dbName: 'one' })).allowed).toBe(true);
    expect((await ask({ dbUser: 'app', dbName: 'two' })).change).toMatchObject([{ field: 'db_names', value: 'two' }]);
    await expect(ask({ login: 'root' })).rejects.toMatchObject({ status: 400 });
    await expect(ask({ dbName: 'one' })).rejects.toMatchObject({ status: 400 });
  });

  test('a name that several resources have is not guessed at', async () => {
    await world.addNodes([{ id: 'n9', name: 'web-1', env: 'prod' }]);

    await expect(explain(admin, { user: 'ann', resource: 'web-1', login: 'root' })).rejects.toMatchObject({
      status: 409,
      fields: { resources: ['node/n1', 'node/n9'] },
    });
  });
});

test('who can reach a resource, as whom, a page at a time', async () => {
  await world.gateway.addUser('bob', { roles: ['dev', 'ops'] });
  await world.gateway.addUser('tom', { roles: ['auditor'] });

  expect(await who(admin, 'n1')).toMatchObject({
    resource: { id: 'n1' },
    totalCount: 2,
    items: [
      { user: 'ann', names: [{ field: 'logins', names: ['root', 'web'] }], locked: false },
      // Of several roles, those whose labels reach it are told apart.
      { user: 'bob', roles: ['dev', 'ops'], by: ['dev'] },
    ],
  });
  const first = await call(admin.send, explainRoutes.who, { params, body: { resource: 'n1', limit: 1 } });
  const second = await call(admin.send, explainRoutes.who, {
    params,
    body: { resource: 'n1', limit: 1, startKey: first.startKey },
  });
  expect([first, second].map(({ items, startKey }) => [items[0]?.user, startKey !== ''])).toEqual([
    ['ann', true],
    ['bob', false],
  ]);
});

test('what a user can reach, counted by kind and listed a page at a time', async () => {
  await world.addNodes(Array.from({ length: 5 }, (_, index) => ({ id: `m${index}`, name: `m${index}`, env: 'dev' })));

  const first = await reach(admin, 'ann', { limit: 4 });
  const second = await reach(admin, 'ann', { limit: 4, startKey: first.startKey });

  expect(first).toMatchObject({ user: 'ann', kind: 'node', counts: { node: 6, db: 0, app: 0 }, totalCount: 6 });
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'web-1']);
  expect(second.startKey).toBe('');
  expect(first.items[0]?.names).toEqual([{ field: 'logins', names: ['root', 'web'] }]);
});

describe('who may ask', () => {
  const calls = (browser: TestBrowser) => [
    () => explain(browser, { user: 'admin', resource: 'n1', login: 'root' }),
    () => who(browser, 'n1'),
    () => reach(browser, 'admin'),
    () => call(browser.send, denialRoutes.get, { params: { ...params, id: 'x' } }),
  ];

  test('nobody without a sign-in, nor about others without read on users and roles', async () => {
    for (const made of calls(world.gateway.browser())) await expect(made()).rejects.toMatchObject({ status: 403 });
    for (const made of calls(await world.gateway.signedIn('ann')))
      await expect(made()).rejects.toMatchObject({ status: 403 });
    for (const [name, resources] of [
      ['only-roles', '[role]'],
      ['only-users', '[user]'],
    ] as const) {
      await addRole(admin, name, `allow: {rules: [{resources: ${resources}, verbs: ['*']}]}`);
      await world.gateway.addUser(name, { roles: [name] });
      for (const made of calls(await world.gateway.signedIn(name)).slice(0, 3))
        await expect(made()).rejects.toMatchObject({ code: expect.stringMatching(/denied|not_found/) });
    }
  });

  test('everybody about themselves, and what they see', async () => {
    const ann = await world.gateway.signedIn('ann');

    expect((await explain(ann, { user: 'ann', resource: 'n1', login: 'nobody' })).change).toMatchObject([
      { type: 'add-principal', role: 'dev', value: 'nobody' },
    ]);
    expect((await explain(ann, { user: 'ann', resource: 'n1', login: 'nobody' })).rolesThatWould).toEqual([]);
    await expect(explain(ann, { user: 'ann', resource: 'n2', login: 'root' })).rejects.toMatchObject({ status: 404 });
    await expect(explain(ann, { user: 'ann', resource: 'zzz', login: 'root' })).rejects.toMatchObject({ status: 404 });
    expect((await reach(ann, 'ann')).counts.node).toBe(1);
  });

  test('reading users and roles does not tell of resources one may not know', async () => {
    await addRole(
      admin,
      'reviewer',
      'allow: {node_labels: {env: dev}, rules: [{resources: [user, role], verbs: [list, read]}]}',
    );
    await world.gateway.addUser('rev', { roles: ['reviewer'] });
    await world.gateway.addUser('bob', { roles: ['dev', 'ops'] });
    const rev = await world.gateway.signedIn('rev');

    await expect(who(rev, 'n2')).rejects.toMatchObject({ status: 404 });
    await expect(explain(rev, { user: 'bob', resource: 'n2', login: 'root' })).rejects.toMatchObject({ status: 404 });
    expect((await who(rev, 'n1')).items.map(({ user }) => user)).toEqual(['ann', 'bob']);
    expect((await reach(rev, 'bob')).items.map(({ id }) => id)).toEqual(['n1']);
    expect((await reach(admin, 'bob')).items.map(({ id }) => id)).toEqual(['n2', 'n1']);
  });

  test('names with slashes, dots, other cases and look-alikes are others', async () => {
    for (const user of ['ANN', 'аnn', 'an', 'ann/', 'ann/../admin', '.ann', 'ann '])
      await expect(explain(admin, { user, resource: 'n1', login: 'root' })).rejects.toMatchObject({ status: 404 });
    for (const resource of ['N1', 'n', 'n1/', 'web', 'WEB-1', 'web-1.'])
      await expect(explain(admin, { user: 'ann', resource, login: 'root' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('refused calls', () => {
  const refusedId = async (made: Promise<unknown>) => {
    const error = await made.then(
      () => undefined,
      (caught: { requestId?: string }) => caught,
    );
    return error?.requestId ?? '';
  };
  const lookUp = (browser: TestBrowser, id: string) =>
    call(browser.send, denialRoutes.get, { params: { ...params, id } });

  test('can be looked up by the id the user was shown, with what was missing', async () => {
    const ann = await world.gateway.signedIn('ann');
    const id = await refusedId(call(ann.send, userRoutes.list, {}));

    expect(await lookUp(admin, id)).toMatchObject({
      id,
      user: 'ann',
      roles: ['dev'],
      call: 'GET /v1/webapi/users',
      message: "access denied: none of your roles allows 'list' on 'users'",
      asked: 'list user',
      change: [{ type: 'add-rule', role: 'dev', resource: 'user', verb: 'list' }],
    });
    await expect(lookUp(ann, id)).rejects.toMatchObject({ status: 403 });
  });

  test('are told with the clause that denied them, also when a handler refused', async () => {
    await addRole(
      admin,
      'half',
      "allow: {rules: [{resources: [user], verbs: ['*']}]}\n  deny: {rules: [{resources: [lock], verbs: [create]}]}",
    );
    await world.gateway.addUser('tom', { roles: ['half'] });
    const tom = await world.gateway.signedIn('tom');

    const id = await refusedId(call(tom.send, lockRoutes.create, { params, body: { targets: { login: 'x' } } }));

    expect(await lookUp(admin, id)).toMatchObject({
      asked: 'create lock',
      reasons: [{ role: 'half', side: 'deny', path: 'spec.deny.rules[0]' }],
    });
  });

  test('are kept for thirty days and not by the thousand', async () => {
    const ann = await world.gateway.signedIn('ann');
    const ids: string[] = [];
    for (let index = 0; index < 40; index += 1) ids.push(await refusedId(call(ann.send, roleRoutes.list, {})));

    const rows = await world.gateway.storage.db.selectFrom('denial').select('id').execute();
    expect(rows).toHaveLength(30);
    expect((await lookUp(admin, ids[0] ?? '')).user).toBe('ann');
    world.gateway.clock.advance(30 * 86_400_000 + 1);
    const later = await world.gateway.signedIn('admin');
    await expect(lookUp(later, ids[0] ?? '')).rejects.toMatchObject({ status: 404 });
  });
});

test('whoever may read all roles but some is told of none of them by answers about access', async () => {
  const rule = (where: string) => `rules: [{resources: [role, user], verbs: [list, read]${where}}]`;
  await addRole(admin, 'most', `allow: {${rule(', where: \'resource.metadata.name != "ops"\'')}}`);
  await addRole(
    admin,
    'kept',
    `{allow: {${rule('')}}, deny: {${rule(', where: \'resource.metadata.name == "ops"\'')}}}`,
  );
  for (const name of ['most', 'kept']) {
    await world.gateway.addUser(name, { roles: [name, 'dev'] });
    const browser = await world.gateway.signedIn(name);

    await expect(who(browser, 'n1')).rejects.toMatchObject({ code: 'denied' });
    await expect(explain(browser, { user: 'ann', resource: 'n1' })).rejects.toMatchObject({ code: 'denied' });
    expect(await explain(browser, { user: name, resource: 'n1', login: 'eve' })).toMatchObject({ rolesThatWould: [] });
  }
});
