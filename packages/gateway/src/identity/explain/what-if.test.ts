import { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { type Effect, type PlannedChange, whatIfRoutes } from '@gatehouse/contract/access/explain/what-if';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
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
  await world.gateway.addUser('bob', { roles: ['dev', 'ops'] });
});
afterEach(() => world.gateway.close());

const whatIf = (browser: TestBrowser, change: PlannedChange, more: object = {}) =>
  call(browser.send, whatIfRoutes.whatIf, { params, body: { change, ...more } });
const resources = (browser: TestBrowser, change: PlannedChange, key: string, more: object = {}) =>
  call(browser.send, whatIfRoutes.resources, { params, body: { change, key, ...more } });
const draft = (name: string, spec: string): PlannedChange => ({ type: 'save-role', content: document(name, spec) });
const document = (name: string, spec: string) =>
  `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec:\n  ${spec}\n`;
/** `ann: +deploy -web on web-1` */
const told = (items: readonly Effect[]) =>
  items
    .map(({ user, gained, lost, resourceNames }) => {
      const names = [...gained.map(({ name }) => `+${name}`), ...lost.map(({ name }) => `-${name}`)];
      return `${user}: ${names.join(' ')} on ${resourceNames.join(' ')}`;
    })
    .sort();

const WIDER = draft('dev', 'allow: {logins: [root, deploy], node_labels: {env: [dev, prod]}}');

test('a draft says who gains and loses what on which resources, and not what they have anyway', async () => {
  const answer = await whatIf(admin, WIDER);

  expect(told(answer.items)).toEqual([
    'ann: +deploy +root on db-1',
    'ann: +deploy -web on web-1',
    'bob: +deploy -web on web-1',
    'bob: +deploy on db-1',
  ]);
  expect(answer.total).toEqual({
    users: { gained: 2, lost: 2 },
    resources: { gained: 2, lost: 1 },
    names: { gained: 5, lost: 2 },
  });
  expect(answer.kinds).toEqual([{ kind: 'node', ...answer.total }]);
  expect([answer.totalCount, answer.hiddenUsers]).toEqual([4, 0]);
});

test('what was foretold is what happens', async () => {
  const before = await reached();
  const { items } = await whatIf(admin, WIDER);
  await call(admin.send, roleRoutes.update, {
    params: { name: 'dev' },
    body: { content: WIDER.type === 'save-role' ? WIDER.content : '' },
  });
  const after = await reached();

  const gained = [...after].filter((each) => !before.has(each)).sort();
  const lost = [...before].filter((each) => !after.has(each)).sort();
  expect(gained).toEqual(spread(items, 'gained'));
  expect(lost).toEqual(spread(items, 'lost'));
  expect((await whatIf(admin, WIDER)).items).toEqual([]);
});

/** Every user, server and login there is, as the other question tells it. */
async function reached(): Promise<Set<string>> {
  const all = new Set<string>();
  for (const resource of ['web-1', 'db-1']) {
    const { items } = await call(admin.send, explainRoutes.who, { params, body: { kind: 'node', resource } });
    for (const { user, names } of items) {
      for (const login of names[0]?.names ?? []) all.add(`${user} ${resource} ${login}`);
    }
  }
  return all;
}

function spread(items: readonly Effect[], way: 'gained' | 'lost'): string[] {
  return items
    .flatMap((item) =>
      item.resourceNames.flatMap((name) => item[way].map((each) => `${item.user} ${name} ${each.name}`)),
    )
    .sort();
}

test('a label that no role has asked about yet is looked at too', async () => {
  const answer = await whatIf(admin, draft('dev', 'allow: {logins: [root], node_labels: {rack: r1}}'));

  expect(answer.total).toMatchObject({ users: { gained: 0, lost: 2 }, resources: { gained: 0, lost: 1 } });
});

test('deleting a role, changing a user and deleting one are foretold alike', async () => {
  expect(told((await whatIf(admin, { type: 'delete-role', name: 'ops' })).items)).toEqual(['bob: -root on db-1']);
  expect(told((await whatIf(admin, { type: 'change-user', name: 'ann', roles: ['ops'] })).items)).toEqual([
    'ann: +root on db-1',
    'ann: -root -web on web-1',
  ]);
  expect(told((await whatIf(admin, { type: 'change-user', name: 'new', roles: ['ops'] })).items)).toEqual([
    'new: +root on db-1',
  ]);
  expect(told((await whatIf(admin, { type: 'delete-user', name: 'bob' })).items)).toEqual([
    'bob: -root -web on web-1',
    'bob: -root on db-1',
  ]);
  await expect(whatIf(admin, { type: 'delete-role', name: 'none' })).rejects.toMatchObject({ status: 404 });
  await expect(whatIf(admin, { type: 'change-user', name: 'ann', roles: ['none'] })).rejects.toMatchObject({
    status: 400,
  });
});

test('traits that decide what a role reaches are foretold', async () => {
  await addRole(admin, 'own', "allow: {logins: ['{{internal.logins}}'], node_labels: {env: '{{external.env}}'}}");
  const traits = { logins: ['ann'], env: ['prod'] };
  const change = { type: 'change-user', name: 'ann', roles: ['own', 'dev'], traits } as const;

  expect(told((await whatIf(admin, { ...change, roles: [...change.roles] })).items)).toEqual(['ann: +ann on db-1']);
});

test('traits are foretold by every name people write them by', async () => {
  const role = "allow: {logins: ['{{external.logins}}', '{{external.unix}}'], node_labels: {env: prod}}";
  await addRole(admin, 'said', role);
  const whether = async (traits: Record<string, string[]>) =>
    told((await whatIf(admin, { type: 'change-user', name: 'ann', roles: ['said', 'dev'], traits })).items);

  expect(await whether({ logins: ['ann'] })).toEqual([]);
  expect(await whether({ 'external.logins': ['ann'] })).toEqual(['ann: +ann on db-1']);
  expect(await whether({ 'external.unix': ['ann'] })).toEqual(['ann: +ann on db-1']);
  expect(await whether({ unix: ['ann'] })).toEqual(['ann: +ann on db-1']);
});

test('rights that rules give are told beside', async () => {
  const { rights } = await whatIf(admin, draft('ops', 'allow: {rules: [{resources: [user], verbs: [list, edit]}]}'));

  expect(rights).toEqual({
    users: 1,
    items: [
      {
        user: 'bob',
        gained: [
          { group: 'users', verb: 'list' },
          { group: 'users', verb: 'edit' },
        ],
        lost: [],
      },
    ],
  });
});

test('effects and their resources come in pages without gap or double', async () => {
  await world.addNodes(Array.from({ length: 25 }, (_, index) => ({ id: `m${index}`, name: `m${index}`, env: 'prod' })));
  const pages: Effect[] = [];
  for (let startKey = '', more = true; more; ) {
    const page = await whatIf(admin, WIDER, { limit: 3, startKey });
    pages.push(...page.items);
    startKey = page.startKey;
    more = startKey !== '';
  }
  const wide = pages.find(({ user, resourceCount }) => user === 'ann' && resourceCount === 26);
  const first = await resources(admin, WIDER, wide?.key ?? '', { limit: 20 });
  const second = await resources(admin, WIDER, wide?.key ?? '', { limit: 20, startKey: first.startKey });

  expect(pages.map(({ key }) => key)).toEqual((await whatIf(admin, WIDER)).items.map(({ key }) => key));
  expect([first.totalCount, first.hidden, second.startKey]).toEqual([26, 0, '']);
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(26);
  await expect(resources(admin, WIDER, 'nonsense')).rejects.toMatchObject({ status: 400 });
});

test('a draft that cannot be read is refused with its place', async () => {
  await expect(whatIf(admin, draft('dev', 'allow: {login: [x]}'))).rejects.toMatchObject({
    status: 400,
    fields: { issues: [{ path: 'spec.allow.login' }] },
  });
});

test('roles given to several at once are foretold as if each were changed alone', async () => {
  const together = await whatIf(admin, {
    type: 'change-users',
    names: ['ann', 'bob', 'nobody'],
    add: ['ops'],
    remove: ['dev'],
  });
  const alone = await Promise.all(
    ['ann', 'bob'].map((name) => whatIf(admin, { type: 'change-user', name, roles: ['ops'] })),
  );

  expect(told(together.items)).toEqual(told(alone.flatMap(({ items }) => items)));
  expect(together.items.length).toBeGreaterThan(1);
});

describe('who may look ahead', () => {
  test('only those who may edit every role', async () => {
    await addRole(
      admin,
      'some',
      'allow: {rules: [{resources: [role, user], verbs: ["*"], where: resource.metadata.name == "dev"}]}',
    );
    await world.gateway.addUser('tom', { roles: ['some'] });
    for (const browser of [
      world.gateway.browser(),
      await world.gateway.signedIn('ann'),
      await world.gateway.signedIn('tom'),
    ]) {
      await expect(whatIf(browser, WIDER)).rejects.toMatchObject({ status: 403 });
      await expect(resources(browser, WIDER, 'x')).rejects.toMatchObject({ status: 403 });
    }
  });

  test('about a user also those who may read roles and change that user, and of other users they hear nothing', async () => {
    const rules =
      '{resources: [role], verbs: [list, read]}, {resources: [user], verbs: ["*"], where: resource.metadata.name == "ann"}';
    await addRole(admin, 'desk', `allow: {rules: [${rules}]}`);
    await addRole(admin, 'reader', 'allow: {rules: [{resources: [role, user], verbs: [list, read]}]}');
    await world.gateway.addUser('desk', { roles: ['desk'] });
    await world.gateway.addUser('reader', { roles: ['reader'] });
    const [desk, reader] = [await world.gateway.signedIn('desk'), await world.gateway.signedIn('reader')];
    const moved = (name: string): PlannedChange => ({ type: 'change-user', name, roles: ['ops'] });

    const { total } = await whatIf(desk, moved('ann'));
    expect(total).toEqual((await whatIf(admin, moved('ann'))).total);
    const both: PlannedChange = { type: 'change-users', names: ['ann', 'bob'], add: ['ops'] };
    await expect(whatIf(desk, both)).rejects.toMatchObject({ status: 404 });
    await expect(whatIf(desk, moved('bob'))).rejects.toMatchObject({ status: 404 });
    await expect(whatIf(desk, WIDER)).rejects.toMatchObject({ status: 403 });
    await expect(whatIf(reader, moved('ann'))).rejects.toMatchObject({ status: 404 });
  });

  test('users and resources the caller may not see are counted and not named', async () => {
    await addRole(
      admin,
      'role-editor',
      'allow: {node_labels: {env: dev}, rules: [{resources: [role], verbs: ["*"]}, {resources: [user], verbs: [list], where: resource.metadata.name == "ann"}]}',
    );
    await world.gateway.addUser('rob', { roles: ['role-editor'] });
    const rob = await world.gateway.signedIn('rob');

    const answer = await whatIf(rob, WIDER);

    expect(told(answer.items)).toEqual(['ann: +deploy +root on ', 'ann: +deploy -web on web-1']);
    expect(answer.hiddenUsers).toBe(1);
    expect(answer.total.users).toEqual({ gained: 2, lost: 2 });
    const hidden = answer.items.find(({ resourceNames }) => resourceNames.length === 0);
    expect(await resources(rob, WIDER, hidden?.key ?? '')).toEqual({
      items: [],
      startKey: '',
      totalCount: 0,
      hidden: 1,
    });
    const bobs = (await whatIf(admin, WIDER)).items.find(({ user }) => user === 'bob');
    await expect(resources(rob, WIDER, bobs?.key ?? '')).rejects.toMatchObject({ status: 404 });
  });
});
