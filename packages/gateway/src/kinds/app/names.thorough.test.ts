/** To whom names, hosts and ways of applications belong, with a real gateway and agents that want what is another's. */
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppWorld, ask, makeRole, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';
import {
  type JoinedAgent,
  join,
  newJoinToken,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../testing/test-agent.ts';
import { createAppHosts } from './app-hosts.ts';
import { wrongHost, wrongWithoutName } from './app-rules.ts';

const params = { clusterId: '-current-' };
const SOON = { timeout: 10_000 };
let world: AppWorld;
const agents: TestAgent[] = [];
beforeEach(async () => {
  world = await startAppWorld();
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close({ drainMs: 0 })));
  await world.close();
});

const offer = (name: string, uri: string, more: object = {}, labels = { env: 'dev' }) => ({
  kind: 'app',
  id: name,
  name,
  labels,
  spec: { uri, ...more },
});

type Token = Parameters<typeof newJoinToken>[1];

async function joined(name: string, token: Token): Promise<JoinedAgent> {
  const secret = await newJoinToken(world.admin.send, { roles: ['App'], ...token });
  return join(world.gateway.send, { token: secret, name });
}

function start(agent: JoinedAgent, resources: readonly unknown[]): TestAgent {
  const started = startAgent(agent, { url: tunnelUrl(world.gateway.app), resources, onDial() {} });
  agents.push(started);
  return started;
}

async function refusals(agent: TestAgent): Promise<string[]> {
  await expect.poll(() => agent.taken.length, SOON).toBeGreaterThan(0);
  return (agent.taken.at(-1)?.refused ?? []).map(({ name, reason }) => `${name}: ${reason}`);
}

const ANY = { offers: { apps: ['*'] } };

test('the public host of an application that was entered stays its own, whatever an agent offers', async () => {
  const host = 'grafana.corp.example';
  const real = await world.upstream((_, response) => response.end('the real one'));
  let heard = 0;
  const evil = await world.upstream((_, response) => {
    heard += 1;
    response.end('the other one');
  });
  await world.add('grafana', `http://127.0.0.1:${real}`, { publicAddr: host });
  const agent = start(await joined('edge', ANY), [offer('aaa', `http://127.0.0.1:${evil}`, { publicAddr: host })]);

  expect(await refusals(agent)).toEqual([
    `aaa: the host '${host}' belongs to the application 'grafana': choose another`,
  ]);
  const cookie = await openApp(world, world.ann, host);
  expect((await ask(world.port, { host, headers: { cookie } })).body).toBe('the real one');
  expect(heard).toBe(0);
});

test.each([
  ['a name under the gateway', 'other.gate.example', false],
  ['a name two below it', 'x.wiki.gate.example', false],
  ['the gateway itself', 'gate.example', false],
  ['but its own name under it', 'aaa.gate.example', true],
  ['but a name that only ends alike', 'not-gate.example', true],
])('an agent does not take %s', (_, publicAddr, isFree) => {
  const wrong = wrongHost(
    { name: 'aaa', publicAddr },
    createAppHosts(() => 'https://gate.example'),
  );

  expect(wrong === undefined).toBe(isFree);
});

test('hosts in other spellings than the one there is are refused', async () => {
  const agent = start(await joined('edge', ANY), [
    offer('a', 'http://localhost:1', { publicAddr: 'Grafana.corp.example' }),
    offer('b', 'http://localhost:1', { publicAddr: 'grafana.corp.example.' }),
    offer('c', 'http://localhost:1', { publicAddr: 'gräfana.corp.example' }),
    offer('d', 'http://localhost:1', { publicAddr: '*.corp.example' }),
    offer('e', 'http://localhost:1', { publicAddr: 'wiki.localhost' }),
  ]);

  expect((await refusals(agent)).map((line) => line[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('an administrator does not enter a host or name that agents have, also while they are away', async () => {
  const host = 'wiki.corp.example';
  const agent = start(await joined('edge', ANY), [offer('wiki', 'http://localhost:1', { publicAddr: host })]);
  expect(await refusals(agent)).toEqual([]);

  await expect(world.add('second', 'http://127.0.0.1:9', { publicAddr: host })).rejects.toMatchObject({
    code: 'conflict',
  });
  await agent.report([]);
  await expect(world.add('second', 'http://127.0.0.1:9', { publicAddr: host })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('gatehouse apps free wiki'),
  });
  await expect(world.add('wiki', 'http://127.0.0.1:9')).rejects.toMatchObject({ code: 'conflict' });
  await call(world.admin.send, appRoutes.free, { params: { ...params, name: 'wiki' } });
  await world.add('wiki', 'http://127.0.0.1:9', { publicAddr: host });

  await agent.report([offer('wiki', 'http://localhost:1', { publicAddr: host })]);
  expect(await refusals(agent)).toEqual(["wiki: the name 'wiki' belongs to one that was entered by hand"]);
});

test('a token made for one application lets its machine offer that one', async () => {
  const agent = start(await joined('wiki-host', { app: { name: 'wiki', uri: 'http://localhost:1' } }), [
    offer('wiki', 'http://localhost:1'),
    offer('grafana', 'http://localhost:2'),
  ]);

  expect(await refusals(agent)).toEqual([expect.stringContaining("does not name the application 'grafana'")]);
});

test('a token that names nothing offers nothing, until an install script names the application', async () => {
  const secret = await newJoinToken(world.admin.send, { roles: ['App'] });
  const agent = start(await join(world.gateway.send, { token: secret, name: 'early' }), [
    offer('wiki', 'http://localhost:1'),
  ]);
  expect(await refusals(agent)).toHaveLength(1);

  const script = (name: string) =>
    world.gateway.app.inject({ url: `/scripts/${secret}/install-app.sh?name=${name}&uri=http://localhost:1` });
  expect((await script('wiki')).body).toContain("OFFERED_NAME='wiki'");
  expect((await script('grafana')).body).not.toContain('OFFERED_NAME');
  const late = start(await join(world.gateway.send, { token: secret, name: 'late' }), [
    offer('wiki', 'http://localhost:1'),
    offer('grafana', 'http://localhost:2'),
  ]);

  expect(await refusals(late)).toEqual([expect.stringContaining("'grafana'")]);
});

test('neither a second way nor the name of an application goes to an agent of another token', async () => {
  const grafana = offer('grafana', 'http://grafana.inside:3000');
  const good = await joined('good', { app: { name: 'grafana', uri: 'http://grafana.inside:3000' } });
  const honest = start(good, [grafana]);
  expect(await refusals(honest)).toEqual([]);
  const other = start(await joined('evil', ANY), [grafana]);

  expect(await refusals(other)).toEqual([expect.stringContaining('belongs to agents of another token')]);
  await honest.report([]);
  await other.report([offer('grafana', 'http://127.0.0.1:9999', {}, { env: 'everybody' })]);
  expect(await refusals(other)).toEqual([expect.stringContaining('belongs to agents of another token')]);
  await honest.report([grafana]);
  expect(await refusals(honest)).toEqual([]);
  // A token that an administrator makes for the name is of the same group.
  const second = start(await joined('second', { app: { name: 'grafana', uri: 'http://grafana.inside:3000' } }), [
    grafana,
  ]);
  expect(await refusals(second)).toEqual([]);
});

test('going on with a name that somebody holds is for those who may change the application', async () => {
  await joined('good', { app: { name: 'wiki', uri: 'http://localhost:1' } }).then((agent) =>
    refusals(start(agent, [offer('wiki', 'http://localhost:1')])),
  );
  await makeRole(world.admin, 'tokens-only', '{allow: {rules: [{resources: [token], verbs: [list, create, read]}]}}');
  await world.gateway.addUser('tom', { roles: ['tokens-only'] });
  const tom = await world.gateway.signedIn('tom');
  const [{ group } = { group: '' }] = await call(world.admin.send, joinTokenRoutes.list, {});
  const make = (body: Token) =>
    call(tom.send, joinTokenRoutes.create, { body: { roles: ['App'], ...body } as never }).then(
      () => 'made',
      ({ code }: { code: string }) => code,
    );

  expect(await make({ app: { name: 'wiki', uri: 'http://localhost:1' } })).toBe('denied');
  expect(await make({ offers: { apps: ['w*'] }, group })).toBe('denied');
  expect(await make({ offers: { apps: ['w*'] } })).toBe('made');
});

test('names are freed by those who may remove the application, told in the log, and not while they are offered', async () => {
  const agent = start(await joined('edge', ANY), [
    offer('wiki', 'http://localhost:1', { publicAddr: 'wiki.example.org' }),
  ]);
  expect(await refusals(agent)).toEqual([]);
  const free = (as = world.admin) => call(as.send, appRoutes.free, { params: { ...params, name: 'wiki' } });

  expect(await call(world.admin.send, appRoutes.names, { params })).toMatchObject([
    { kind: 'app', name: 'wiki', offered: true },
    { kind: 'host', name: 'wiki.example.org', app: 'wiki' },
  ]);
  await expect(free()).rejects.toMatchObject({ code: 'conflict' });
  await agent.report([]);
  await expect(free(world.ann)).rejects.toMatchObject({ code: 'denied' });
  expect((await free()).freed.toSorted()).toEqual(['wiki', 'wiki.example.org']);
  await expect(free()).rejects.toMatchObject({ code: 'not_found' });

  const events = (await world.gateway.events()).filter(({ code }) => code === 'GH216I');
  expect(events.map(({ data }) => data)).toMatchObject([{ name: 'wiki', hosts: ['wiki.example.org'], user: 'admin' }]);
});

test('a machine gives itself only the labels its token lets it', async () => {
  const agent = start(await joined('edge', { offers: { apps: ['*'], labels: ['team'] }, labels: { env: 'dev' } }), [
    offer('wiki', 'http://localhost:1', {}, { env: 'prod' }),
    offer('blog', 'http://localhost:1', {}, { team: 'blue' } as never),
    offer('shop', 'http://localhost:1', {}, { access: 'everybody' } as never),
  ]);

  expect(await refusals(agent)).toEqual([
    expect.stringContaining("shop: the token this agent joined with does not let it give itself the label 'access'"),
  ]);
  // The token's labels win.
  const rows = await world.gateway.storage.db
    .selectFrom('resource')
    .select(['id', 'labels'])
    .where('kind', '=', 'app')
    .orderBy('id')
    .execute();
  expect(rows.map(({ id, labels }) => [id, JSON.parse(labels).env])).toEqual([
    ['blog', 'dev'],
    ['wiki', 'dev'],
  ]);
});

test('where the gateway has no name of its own, no agent gives a host a meaning: it could be the one of the console', () => {
  const offered = { publicAddr: 'gate.corp.example' };
  const proxy = { behind: false, trusted: [] };
  const everywhere = { listen: { host: '0.0.0.0', port: 3080 }, proxy };
  const local = { listen: { host: '127.0.0.1', port: 3080 }, proxy };
  const own = { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' };

  expect(wrongWithoutName(offered, everywhere)).toContain('has no name of its own');
  expect(wrongWithoutName(offered, { ...local, proxy: { behind: true, trusted: [] } })).toBeDefined();
  expect(wrongWithoutName({ publicAddr: '' }, everywhere)).toBeUndefined();
  expect(wrongWithoutName(offered, { ...everywhere, publicAddr: own })).toBeUndefined();
  expect(wrongWithoutName(offered, local)).toBeUndefined();
});

test('the console of a gateway without a name is not taken by an agent', async () => {
  await world.close();
  world = await startAppWorld({ proxy: { behind: true, trusted: [] } });
  const agent = start(await joined('edge', ANY), [
    offer('aaa', 'http://127.0.0.1:9', { publicAddr: 'gate.corp.example' }),
  ]);

  expect(await refusals(agent)).toEqual([expect.stringContaining('has no name of its own')]);
  const { status } = await ask(world.port, { host: 'gate.corp.example', path: '/v1/webapi/ping' });
  expect(status).toBe(200);
});

const OWNER_OF_APPS =
  '{allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [create, read], where: \'equals(resource.metadata.labels["env"], "dev")\'}]}}';

test('whose host or address it is, is told only to those who may know that application', async () => {
  const hidden = { labels: { env: 'prod' } };
  await world.add('vault', 'http://10.1.2.3:80', { ...hidden, publicAddr: 'vault.corp.example' });
  const agent = start(await joined('edge', ANY), [
    offer('ledger', 'http://10.1.2.4:80', { publicAddr: 'ledger.corp.example' }, { env: 'prod' }),
  ]);
  expect(await refusals(agent)).toEqual([]);
  await makeRole(world.admin, 'apps-of-dev', OWNER_OF_APPS);
  await world.gateway.addUser('eve', { roles: ['apps-of-dev'] });
  const eve = await world.gateway.signedIn('eve');
  const said = async (send: typeof eve.send, more: object) => {
    const body = { name: 'mine', uri: 'http://10.9.9.9:80', labels: { env: 'dev' }, ...more } as never;
    const added = call(send, appRoutes.add, { params, body });
    return await added.then(
      () => 'added',
      (error: Error) => error.message,
    );
  };

  const wanted = [
    { publicAddr: 'vault.corp.example' },
    { publicAddr: 'ledger.corp.example' },
    { uri: 'http://10.1.2.4:80' },
  ];
  for (const more of wanted) {
    expect(await said(eve.send, more)).toMatch(/^the (host|address) '.*' is taken: choose another$/);
    expect(await said(world.admin.send, more)).toMatch(/application '(vault|ledger)'/);
  }
});

test('an agent that somebody may not see is no way for their applications, and answers as if it were not there', async () => {
  const { id } = await joined('edge', ANY);
  await makeRole(world.admin, 'apps-of-dev', OWNER_OF_APPS.replace('create, read', 'create, read, update'));
  await makeRole(world.admin, 'sees-agents', '{allow: {rules: [{resources: [token], verbs: [list]}]}}');
  await world.gateway.addUser('eve', { roles: ['apps-of-dev'] });
  await world.gateway.addUser('kim', { roles: ['apps-of-dev', 'sees-agents'] });
  const [eve, kim] = [await world.gateway.signedIn('eve'), await world.gateway.signedIn('kim')];
  const body = (name: string, through: string) =>
    ({ name, uri: 'http://10.9.9.9:80', labels: { env: 'dev' }, through: [through] }) as never;
  const checked = (through: string) => ({ uri: 'http://10.9.9.9:80', through: [through] }) as never;

  for (const agent of ['edge', id, 'nowhere']) {
    const missing = { status: 404, message: `agent '${agent}' not found` };
    await expect(call(eve.send, appRoutes.add, { params, body: body('mine', agent) })).rejects.toMatchObject(missing);
    await expect(call(eve.send, appRoutes.check, { params, body: checked(agent) })).rejects.toMatchObject(missing);
  }
  await call(kim.send, appRoutes.add, { params, body: body('shared', 'edge') });
  // What is a way already stays one, whoever changes the rest.
  const at = { params: { ...params, name: 'shared' } };
  const { app: _, ...details } = await call(eve.send, appRoutes.get, at);
  await call(eve.send, appRoutes.update, { ...at, body: { ...details, description: 'new' } });
  expect((await call(kim.send, appRoutes.get, at)).through).toEqual(['edge']);
});
