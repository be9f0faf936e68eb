import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { MAX_JOIN_ATTEMPTS } from '@gatehouse/contract/reach/join-tokens/join-progress';
import { joinTokenRoutes, LOOK_HEADER, RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { join, newAgentKey, nodeOf, startAgent, type TestAgent, tunnelUrl } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const SOON = { timeout: SOON_MS };
let gateway: IdentityGateway;
let admin: TestBrowser;
const agents: TestAgent[] = [];
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
  admin = await gateway.signedIn('admin');
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close({ drainMs: 0 })));
  await gateway.close();
});

async function newToken(browser = admin, body: object = {}) {
  const { id, gatehouse } = await call(browser.send, joinTokenRoutes.create, { body: { roles: ['Node'], ...body } });
  return { secret: id, id: gatehouse?.tokenId ?? '' };
}
const progress = (id: string, browser = admin) => call(browser.send, joinTokenRoutes.progress, { params: { id } });
const fetchScript = (secret: string, from = '10.0.0.7', script = 'install-node.sh') =>
  gateway.app.inject({ url: `/scripts/${secret}/${script}`, remoteAddress: from, headers: { host: 'localhost:3080' } });
const nothing = { fetched: [], joined: [], refused: [] };

test('a token with which nothing has happened says so, and when it ends', async () => {
  const { id } = await newToken(admin, { uses: 20 });

  const expires = new Date(gateway.clock.now + 4 * 3_600_000).toISOString();
  expect(await progress(id)).toEqual({ ...nothing, uses: 0, usesLeft: 20, expires });
});

test('a machine that fetched the script is told, once however often it does', async () => {
  const { id, secret } = await newToken();
  for (let times = 0; times < 3; times += 1) expect((await fetchScript(secret)).statusCode).toBe(200);
  gateway.clock.now += 10_000;
  await fetchScript(secret);
  await fetchScript(secret, '10.0.0.8');

  const at = new Date(gateway.clock.now).toISOString();
  expect((await progress(id)).fetched).toEqual([
    { at, address: '10.0.0.7' },
    { at, address: '10.0.0.8' },
  ]);
});

test('a script that is read before anybody runs it is the same, binds no name, and is told as no machine', async () => {
  const { id, secret } = await newToken(admin, { roles: ['App'] });
  const url = (name: string) => `/scripts/${secret}/install-app.sh?name=${name}&uri=http%3A%2F%2F127.0.0.1%3A80`;
  const ask = (name: string, headers: object) =>
    gateway.app.inject({ url: url(name), remoteAddress: '10.0.0.7', headers: { host: 'localhost:3080', ...headers } });

  const read = await ask('wiki', { [LOOK_HEADER]: '1' });

  expect(read.body).toContain(`TOKEN='${secret}'`);
  expect(await progress(id)).toMatchObject({ ...nothing, uses: 0 });
  // Nobody has chosen 'wiki' by looking: the first machine that asks still chooses.
  expect((await ask('shop', {})).body).toBe((await ask('shop', { [LOOK_HEADER]: '1' })).body);
  expect((await ask('wiki', { [LOOK_HEADER]: '1' })).body).toContain('this join token is not valid');
  expect(await progress(id)).toMatchObject({ fetched: [{ address: '10.0.0.7' }], refused: [] });
});

test('who joined is told with what it offers, and what of it was not taken', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { id, secret } = await newToken(admin, { uses: 2 });
  const agent = await join(gateway.send, { token: secret, name: 'web-1' });
  const before = await progress(id);
  const db = {
    kind: 'db',
    id: 'shop',
    name: 'shop',
    labels: {},
    spec: { protocol: 'postgres', uri: 'db.inside:5432' },
  };
  agents.push(startAgent(agent, { url: tunnelUrl(gateway.app), resources: [nodeOf(agent), db] }));

  const at = new Date(gateway.clock.now).toISOString();
  const joined = { agent: agent.id, name: 'web-1', at, address: '127.0.0.1' };
  expect(before).toMatchObject({ joined: [{ ...joined, resources: [], notTaken: [] }], uses: 1, usesLeft: 1 });
  expect(before.joined[0]).not.toHaveProperty('offered');
  await expect
    .poll(async () => (await progress(id)).joined, SOON)
    .toEqual([
      {
        ...joined,
        resources: [{ kind: 'node', name: 'web-1' }],
        offered: 1,
        notTaken: [
          {
            kind: 'db',
            name: 'shop',
            reason: 'the token this agent joined with does not let it offer a db',
            next: 'gatehouse tokens add --type=node,db --databases shop',
          },
        ],
      },
    ]);
});

test('who was refused is told why, with the line to type', async () => {
  const { secret: other } = await newToken();
  await join(gateway.send, { token: other, name: 'web-1' });
  const { id, secret } = await newToken();
  await expect(join(gateway.send, { token: secret, name: 'web-1' })).rejects.toMatchObject({ status: 409 });

  expect((await progress(id)).refused).toEqual([
    {
      at: new Date(gateway.clock.now).toISOString(),
      address: '127.0.0.1',
      name: 'web-1',
      reason:
        "the name 'web-1' belongs to another agent: give this machine another with --name, or first forget the other with: gatehouse agents rm web-1",
      next: 'gatehouse agents rm web-1',
    },
  ]);
});

test('the same refusal with another token is told to who waits for that one, though the audit had it', async () => {
  const [first, second] = [
    await newToken(admin, { offers: { nodes: ['a'] } }),
    await newToken(admin, { offers: { nodes: ['a'] } }),
  ];
  for (const { secret } of [first, second])
    await expect(join(gateway.send, { token: secret, name: 'b' })).rejects.toMatchObject({ status: 409 });

  for (const { id } of [first, second])
    expect((await progress(id)).refused).toMatchObject([{ name: 'b', reason: expect.stringContaining("called 'b'") }]);
  expect((await gateway.events()).filter(({ code }) => code === 'GH202W')).toHaveLength(1);
});

test('a token that is used up, expired or for something else says so to who waits, and not to the machine', async () => {
  const { id, secret } = await newToken(admin, { uses: 1 });
  await join(gateway.send, { token: secret, name: 'web-1' });
  const heard = await join(gateway.send, { token: secret, name: 'web-2' }).catch((error: Error) => error.message);
  const script = await fetchScript(secret);
  await fetchScript(secret, '10.0.0.9', 'install-database.sh');
  gateway.clock.now += 4 * 3_600_000;
  admin = await gateway.signedIn('admin');
  const later = await progress(id);
  await expect(join(gateway.send, { token: secret, name: 'web-3' })).rejects.toMatchObject({ status: 403 });

  expect(heard).toContain('it may be mistyped, expired, used up or taken back');
  expect(script.body).not.toContain('the join token is used up');
  expect(later).toMatchObject({ ...nothing, uses: 1, usesLeft: 0 });
  const next = 'gatehouse tokens add --type=node';
  expect((await progress(id)).refused).toMatchObject([
    { name: 'web-3', reason: expect.stringMatching(/^the join token expired at /), next },
  ]);
});

test('refusals of scripts have no name, and say what was wrong', async () => {
  const { id, secret } = await newToken(admin, { uses: 1 });
  await join(gateway.send, { token: secret, name: 'web-1' });
  await fetchScript(secret, '10.0.0.8');
  await fetchScript(secret, '10.0.0.9', 'install-database.sh');

  const { refused, fetched } = await progress(id);
  expect(fetched).toEqual([]);
  expect(refused.map(({ address, name, reason }) => [address, name, reason])).toEqual([
    ['10.0.0.8', '', 'the join token is used up'],
    ['10.0.0.9', '', 'the join token does not give the role Db'],
  ]);
});

test('after an hour it is forgotten', async () => {
  const { id, secret } = await newToken();
  await fetchScript(secret);
  gateway.clock.now += 3_600_000;
  admin = await gateway.signedIn('admin');

  expect(await progress(id)).toMatchObject(nothing);
});

test('of many machines the newest fifty are kept, and of wrong tokens nothing at all', async () => {
  const { id, secret } = await newToken();
  for (let machine = 0; machine < 60; machine += 1) {
    gateway.clock.now += 1;
    await fetchScript(secret, `10.0.1.${machine}`);
    await fetchScript('0'.repeat(32), `10.0.2.${machine}`);
  }
  const rows = await gateway.storage.db.selectFrom('join_attempt').select(['token', 'address']).execute();

  expect(rows).toHaveLength(MAX_JOIN_ATTEMPTS);
  expect(rows.every(({ token }) => token === id)).toBe(true);
  expect((await progress(id)).fetched[0]?.address).toBe('10.0.1.59');
});

test('who holds a token and fetches without end writes no more than so much a minute', async () => {
  const { secret } = await newToken();
  const changes = () =>
    gateway.storage.db
      .selectFrom('change')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .where('topic', '=', 'join-progress')
      .executeTakeFirstOrThrow();
  for (let machine = 0; machine < 400; machine += 1)
    await fetchScript(secret, `10.1.${Math.floor(machine / 200)}.${machine % 200}`);

  expect(Number((await changes()).count)).toBe(300);
});

test('somebody else does not learn that there is such a token; who may list tokens sees it', async () => {
  const { id, secret } = await newToken();
  await fetchScript(secret);
  await gateway.addUser('maker', { roles: ['maker'] });
  await gateway.addUser('lister', { roles: ['lister'] });
  const rule = (verbs: string[]) => ({
    kind: 'role',
    version: 'v6',
    spec: { allow: { rules: [{ resources: ['token'], verbs }] } },
  });
  for (const [name, verbs] of [
    ['maker', ['create']],
    ['lister', ['list']],
  ] as const)
    await call(admin.send, roleRoutes.create, {
      body: { content: JSON.stringify({ ...rule([...verbs]), metadata: { name } }) },
    });
  const ann = await gateway.signedIn('ann');
  const maker = await gateway.signedIn('maker');
  const lister = await gateway.signedIn('lister');
  const own = await newToken(maker);

  for (const browser of [ann, maker])
    await expect(progress(id, browser)).rejects.toMatchObject({ status: 404, message: `join token '${id}' not found` });
  await expect(progress('no-such-token', ann)).rejects.toMatchObject({ status: 404 });
  expect(await progress(own.id, maker)).toMatchObject(nothing);
  expect((await progress(id, lister)).fetched).toHaveLength(1);
  expect((await progress(own.id, lister)).uses).toBe(0);
  // One for AWS is the same for all who ask for it: the second waits for machines as well.
  const forAws = { join_method: 'iam', allow: [{ aws_account: '123456789012' }] };
  const [first, second] = [await newToken(admin, forAws), await newToken(maker, forAws)];
  expect(second.id).toBe(first.id);
  expect(await progress(second.id, maker)).toMatchObject(nothing);
  await expect(progress(second.id, ann)).rejects.toMatchObject({ status: 404 });
});

test('the secret is in no answer and in no row', async () => {
  const { id, secret } = await newToken(admin, { uses: 1 });
  await fetchScript(secret);
  await join(gateway.send, { token: secret, name: 'web-1', key: newAgentKey() });
  await fetchScript(secret, '10.0.0.9');

  const rows = await gateway.storage.db.selectFrom('join_attempt').selectAll().execute();
  expect(rows).toHaveLength(3);
  expect(JSON.stringify([rows, await progress(id)])).not.toContain(secret);
});

test('clients that ask the list for what joined with the token find it, without learning the label', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const made = await call(admin.send, joinTokenRoutes.create, { body: { roles: ['Node'], labels: { env: 'dev' } } });
  const label = made.suggestedLabels.find(({ name }) => name === RESOURCE_ID_LABEL);
  const poll = async (id = label?.value) => {
    const query = { search: `${RESOURCE_ID_LABEL} ${id}`, limit: '1' };
    return await call(admin.send, nodeRoutes.list, { params: { clusterId: '-current-' }, query });
  };
  await gateway.setRoles('admin', ['editor', 'access']);
  admin = await gateway.signedIn('admin');
  expect((await poll()).items).toEqual([]);
  const agent = await join(gateway.send, { token: made.id, name: 'web-1' });
  agents.push(startAgent(agent, { url: tunnelUrl(gateway.app) }));

  await expect.poll(async () => (await poll()).items.map(({ hostname }) => hostname), SOON).toEqual(['web-1']);
  expect((await poll()).items[0]?.tags).toEqual([{ name: 'env', value: 'dev' }]);
  expect((await poll('00000000-0000-4000-8000-000000000000')).items).toEqual([]);
});
