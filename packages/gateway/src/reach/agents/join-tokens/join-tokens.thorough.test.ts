import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { joinTokenRoutes, RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { sendTo } from '../../../../testing/start-test-gateway.ts';
import { join, newAgentKey, newJoinToken } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { createJoinTokens } from './redeem-join-token.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const create = (browser: TestBrowser, body: object = {}) =>
  call(browser.send, joinTokenRoutes.create, { body: { roles: ['Node'], ...body } });
const list = (browser: TestBrowser) => call(browser.send, joinTokenRoutes.list, {});
const refusals = async () =>
  (await gateway.events()).filter(({ code }) => code === 'GH202W').map(({ data }) => [data.node_name, data.reason]);

test('a token is shown once, lasts four hours, and carries an id that what joins with it can be found by', async () => {
  const made = await create(admin, { labels: { env: 'prod' } });

  expect(made).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    method: 'token',
    expiry: new Date(gateway.clock.now + 4 * 3_600_000).toISOString(),
    suggestedLabels: [
      { name: 'env', value: 'prod' },
      { name: RESOURCE_ID_LABEL, value: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ],
  });
  expect(await list(admin)).toEqual([
    {
      id: made.gatehouse?.tokenId,
      hint: made.id.slice(0, 6),
      roles: ['Node'],
      labels: [{ name: 'env', value: 'prod' }],
      created: new Date(gateway.clock.now).toISOString(),
      createdBy: 'admin',
      expires: made.expiry,
      uses: 0,
      offers: {},
      group: expect.any(String),
    },
  ]);
  const stored = await gateway.storage.db.selectFrom('join_token').selectAll().execute();
  expect(JSON.stringify(stored)).not.toContain(made.id);
  expect(gateway.logged()).not.toContain(made.id);
});

test('it is told what to type, and that nobody else can reach a gateway on loopback', async () => {
  const { id, gatehouse } = await create(admin);

  const script = `http://localhost:3080/scripts/${id}/install-node.sh`;
  expect(gatehouse?.command).toBe(`sudo sh -c "$(curl -fsSL '${script}')"`);
  expect(gatehouse?.openSshCommand).toBe(`sudo sh -c "$(curl -fsSL '${script}')" install-node.sh --openssh`);
  expect(gatehouse?.warning).toContain('from its own machine only');
});

test('other join methods are refused by name, and labels of the gateway cannot be given', async () => {
  await expect(create(admin, { join_method: 'ec2' })).rejects.toMatchObject({
    status: 400,
    message: "the join method 'ec2' is not supported: machines join this gateway with the method 'token' or 'iam'",
  });
  await expect(create(admin, { join_method: '' })).rejects.toMatchObject({ status: 400 });
  expect(await list(admin)).toEqual([]);
  await expect(create(admin, { labels: { [RESOURCE_ID_LABEL]: 'x' } })).rejects.toMatchObject({ status: 400 });
  await expect(create(admin, { roles: ['Proxy'] })).rejects.toMatchObject({ status: 400 });
  await expect(create(admin, { ttlSeconds: 1 })).rejects.toMatchObject({ status: 400 });
});

const ALLOW = [{ aws_account: '123456789012', aws_arn: 'arn:aws:sts::123456789012:assumed-role/join-*/i-*' }];

test('rules of clouds and labels of databases are kept with the token, and it is said that nobody is checked by them', async () => {
  const matchers = { env: ['prod', 'stage'], '*': ['*'] };
  const made = await create(admin, { allow: ALLOW, suggested_agent_matcher_labels: matchers });
  await create(admin, { allow: null, suggested_agent_matcher_labels: null });

  const [first, second] = (await list(admin)).toSorted((a) => (a.id === made.gatehouse?.tokenId ? -1 : 1));
  expect(first).toMatchObject({ allow: ALLOW, suggested_agent_matcher_labels: matchers });
  expect(made.gatehouse?.warning).toContain('no machine is checked by them');
  expect(Object.keys(second!)).not.toContain('allow');
  expect(Object.keys(second!)).not.toContain('suggested_agent_matcher_labels');
});

test.each([
  { allow: ['anything'] },
  { allow: [{}] },
  { allow: [{ aws_account: '12' }] },
  { allow: [{ ...ALLOW[0], aws_arn: 'role/x' }] },
  { suggested_agent_matcher_labels: { env: 'prod' } },
  { suggested_agent_matcher_labels: { '': ['x'] } },
])('what they cannot be is refused: %j', async (body) => {
  await expect(create(admin, body)).rejects.toMatchObject({ status: 400 });
});

test.each([
  [['Kube'], 'an agent for Kubernetes clusters is installed by a command that names one'],
  [['App'], 'a command that names one'],
])('a token for %j is made without a command that its own script would refuse', async (roles, words) => {
  const { id, gatehouse } = await create(admin, { roles });

  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(gatehouse?.missing).toContain(words);
  expect(gatehouse).not.toHaveProperty('command');
  expect(gatehouse).not.toHaveProperty('openSshCommand');
});

test('a token for databases has the command of an agent that looks after some, one for servers too that of a server', async () => {
  const dbs = await create(admin, { roles: ['Db'] });
  const both = await create(admin, { roles: ['Node', 'Db'] });
  const one = await create(admin, { roles: ['Db'], db: { name: 'shop', uri: 'postgres://db.inside' } });

  expect(dbs.gatehouse?.command).toMatch(/\/install-database\.sh'\)"$/);
  expect(dbs.gatehouse).not.toHaveProperty('openSshCommand');
  expect(both.gatehouse?.command).toContain('/install-node.sh');
  expect(one.gatehouse?.command).toContain('/install-database.sh?name=shop&uri=postgres%3A%2F%2Fdb.inside');
  for (const { gatehouse } of [dbs, both, one]) expect(gatehouse).not.toHaveProperty('missing');
});

test('a token for desktops has the command of an agent whose file says where they are', async () => {
  const { gatehouse } = await create(admin, { roles: ['WindowsDesktop'], offers: { desktops: ['*'] } });

  expect(gatehouse?.command).toMatch(/\/install-desktop\.sh'\)"$/);
  expect(gatehouse).not.toHaveProperty('missing');
});

test('making and taking back is audited, without the secret', async () => {
  const { id, gatehouse } = await create(admin, { uses: 3 });
  const name = gatehouse?.tokenId ?? '';
  await call(admin.send, joinTokenRoutes.remove, { params: { id: name } });

  const events = (await gateway.events()).filter(({ code }) => code.startsWith('GH20'));
  expect(events.map(({ code, user, data }) => [code, user, data.name, data.uses])).toEqual([
    ['GH200I', 'admin', name, 3],
    ['GH201I', 'admin', name, undefined],
  ]);
  expect(JSON.stringify(events)).not.toContain(id);
  expect(await list(admin)).toEqual([]);
  await expect(call(admin.send, joinTokenRoutes.remove, { params: { id: name } })).rejects.toMatchObject({
    status: 404,
  });
});

test('only those who may create tokens do, whatever else they may', async () => {
  const ann = await gateway.signedIn('ann');
  for (const refused of [create(ann), list(ann), create(gateway.browser())]) {
    await expect(refused).rejects.toMatchObject({ status: 403 });
  }
  const content =
    'kind: role\nversion: v6\nmetadata: {name: lister}\nspec: {allow: {rules: [{resources: [token], verbs: [list]}]}}\n';
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('bea', { roles: ['lister'] });
  const bea = await gateway.signedIn('bea');
  expect(await list(bea)).toEqual([]);
  await expect(create(bea)).rejects.toMatchObject({ status: 403 });
});

describe('joining', () => {
  const words = 'the join token is not valid';

  test('a machine joins, and its token counts', async () => {
    const token = await newJoinToken(admin.send, { uses: 2, labels: { env: 'prod' } });

    const { id, labels } = await join(gateway.send, { token, name: 'web-1' });

    expect(labels).toMatchObject({ env: 'prod', [RESOURCE_ID_LABEL]: expect.any(String) });
    expect(await list(admin)).toMatchObject([{ uses: 1, usesLeft: 1 }]);
    const [joined] = (await gateway.events()).filter(({ code }) => code === 'TJ002I');
    expect(joined?.data).toMatchObject({
      host_id: id,
      node_name: 'web-1',
      role: 'Node',
      method: 'token',
      success: true,
    });
  });

  test('the same key asking twice, because the first answer was lost, is one use and one agent', async () => {
    const token = await newJoinToken(admin.send, { uses: 1 });
    const key = newAgentKey();

    const [first, second] = [
      await join(gateway.send, { token, name: 'web-1', key }),
      await join(gateway.send, { token, name: 'web-1', key }),
    ];

    expect(second.id).toBe(first.id);
    expect((await gateway.events()).filter(({ code }) => code === 'TJ002I')).toHaveLength(1);
    await expect(join(gateway.send, { token, name: 'web-2' })).rejects.toMatchObject({ status: 403 });
  });

  test('one use let out by many at once lets one in', async () => {
    const token = await newJoinToken(admin.send, { uses: 1 });

    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => join(gateway.send, { token, name: `web-${index}` })),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('unknown, malformed, expired and used up are refused in the same words, and told apart in the audit', async () => {
    const usedUp = await newJoinToken(admin.send, { uses: 1, ttlSeconds: 86_400 });
    await join(gateway.send, { token: usedUp, name: 'first' });
    const expired = await newJoinToken(admin.send, { ttlSeconds: 60 });
    gateway.clock.advance(60_001);
    const bad = { unknown: 'f'.repeat(32), malformed: "'; rm -rf /", usedUp, expired };

    const said = new Set<string>();
    for (const [name, token] of Object.entries(bad)) {
      const refused = await join(gateway.send, { token, name }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 403 });
      said.add((refused as Error).message);
    }

    expect([...said]).toEqual([expect.stringContaining(words)]);
    expect(await refusals()).toEqual([
      ['unknown', 'the join token is not known'],
      ['malformed', 'the join token is malformed'],
      ['usedUp', 'the join token is used up'],
      ['expired', expect.stringContaining('the join token expired at 2026-')],
    ]);
  });

  test('asking whether a token is good uses nothing up, and a bad one is a guess', async () => {
    const { storage, clock } = gateway;
    const audit = { emit: async () => {} };
    const tokens = createJoinTokens({ db: storage.db, audit, log: silentLog, now: () => clock.now });
    const token = await newJoinToken(admin.send, { uses: 1 });

    expect(await tokens.isGood(token, { role: 'Node', address: '10.0.0.1' })).toBe(true);
    expect(await tokens.isGood(token, { role: 'App', address: '10.0.0.2' })).toBe(false);
    expect(await list(admin)).toMatchObject([{ uses: 0 }]);
    await join(gateway.send, { token, name: 'web-1' });
    expect(await tokens.isGood(token, { role: 'Node', address: '10.0.0.1' })).toBe(false);
    for (let guess = 0; guess < 20; guess++)
      expect(await tokens.isGood('no token', { role: 'Node', address: '10.0.0.1' })).toBe(false);
    await expect(tokens.isGood(token, { role: 'Node', address: '10.0.0.1' })).rejects.toMatchObject({
      code: 'too_many',
    });
    tokens.close();
  });

  test('a name of another agent is refused with what to do, and costs no use', async () => {
    const token = await newJoinToken(admin.send, { uses: 2 });
    await join(gateway.send, { token, name: 'web-1' });

    for (let again = 0; again < 3; again++) {
      await expect(join(gateway.send, { token, name: 'web-1' })).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('gatehouse agents rm web-1'),
      });
    }

    expect(await list(admin)).toMatchObject([{ usesLeft: 1 }]);
    expect(await refusals()).toEqual([['web-1', expect.stringContaining('belongs to another agent')]]);
  });

  test('guessing is slowed down, by failures alone', async () => {
    const guess = (name: string, address = '10.0.0.1') =>
      join((request) => gateway.browser({ address }).sendWith({ origin: undefined, cookie: undefined })(request), {
        token: '0'.repeat(32),
        name,
      });
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) => guess(`g${index}`).catch(({ status }: { status: number }) => status)),
    );

    expect(outcomes.filter((status) => status === 403)).toHaveLength(20);
    expect(outcomes.filter((status) => status === 429)).toHaveLength(180);
    expect(await refusals()).toHaveLength(20);
    await expect(guess('elsewhere', '10.0.0.2')).rejects.toMatchObject({ status: 403 });
    gateway.clock.advance(1_001);
    await expect(guess('later')).rejects.toMatchObject({ status: 403 });
  });

  test('a hundred machines behind one address all join at once with one good token', async () => {
    const token = await newJoinToken(admin.send);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => join(sendTo(gateway.app), { token, name: `m-${index}` })),
    );

    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await list(admin)).toMatchObject([{ uses: 100 }]);
  });
});
