/** Every call that takes a token, given everything that is none for it: nothing, other types, other spellings, other people's, used up, made for another call. */
import { setImmediate } from 'node:timers/promises';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import { joinBody, newAgentKey, newJoinToken } from '../../testing/test-agent.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const NINE_HOURS_MS = 9 * 3_600_000;
const PASSWORD_64 = Buffer.from('brand new one').toString('base64');

let gateway: IdentityGateway;
let ann: TestBrowser;
let requestId: string;
/** Good ones, by kind. */
const good: Record<string, string> = {};
/** Good once, or for somebody else. */
const gone: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  for (const name of ['admin', 'ann', 'bob', 'cat']) await gateway.addUser(name, { roles: ['editor'] });
  const privilege = (who: TestBrowser) => call(who.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const link = async (who: TestBrowser, name: string) =>
    (await call(who.send, passwordRoutes.createToken, { body: { name } })).tokenId;
  const cat = await gateway.signedIn('cat');
  gone['an expired link'] = await link(cat, 'cat');
  gone['an expired proof'] = await privilege(cat);
  gateway.clock.advance(NINE_HOURS_MS);
  const [admin, bob] = [await gateway.signedIn('admin'), await gateway.signedIn('bob')];
  ann = await gateway.signedIn('ann');
  gone['an earlier link'] = await link(admin, 'ann');
  gone['an earlier proof'] = await privilege(ann);
  gone["somebody else's proof"] = await privilege(bob);
  good.link = await link(admin, 'ann');
  good.proof = await privilege(ann);
  good.join = await newJoinToken(admin.send);
  good.script = (await call(ann.send, apiTokenRoutes.create, { body: { name: 'ci' } })).token;
  good.bearer = ann.bearer ?? '';
  const waiting = await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
  ({ requestId } = waiting);
  good.cli = waiting.secret;
  gone['of another command line'] = (await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'pc' } })).secret;
});
afterAll(() => gateway.close());

interface Taker {
  /** Kinds of tokens that are right here. */
  takes: readonly string[];
  /** In the address, where whatever is not text has no place. */
  inPath?: true;
  /** Also whose they are does not matter here: whoever holds it is meant. */
  ofAnybody?: true;
  ask(token: unknown): Promise<{ status: number; text: string }>;
}

const post = (url: string, body: object, method = 'POST') =>
  ann.send({ method, url, body: JSON.stringify(body) }) as ReturnType<Taker['ask']>;
const path = (token: unknown) => encodeURIComponent(String(token));
const mfa = '/v1/webapi/mfa';

const TAKERS: Record<string, Taker> = {
  'reading a link': {
    takes: ['link'],
    inPath: true,
    ask: (token) => ann.send({ method: 'GET', url: `/v1/webapi/users/password/token/${path(token)}` }),
  },
  'a challenge by token': {
    takes: ['proof'],
    inPath: true,
    ofAnybody: true,
    ask: (token) => ann.send({ method: 'POST', url: `${mfa}/token/${path(token)}/authenticatechallenge` }),
  },
  'enrolling by token': {
    takes: ['link', 'proof'],
    inPath: true,
    ofAnybody: true,
    ask: (token) => post(`${mfa}/token/${path(token)}/registerchallenge`, { deviceType: 'totp' }),
  },
  'devices by token': {
    takes: ['proof'],
    inPath: true,
    ofAnybody: true,
    ask: (token) => ann.send({ method: 'GET', url: `${mfa}/token/${path(token)}/devices` }),
  },
  'what a command line asks': {
    takes: ['cli'],
    ask: (secret) => post(`/v1/webapi/cli/logins/${requestId}/poll`, { secret }),
  },
  'a download by ticket': {
    takes: [],
    inPath: true,
    ask: (token) => ann.send({ method: 'GET', url: `/v1/webapi/sites/-current-/file-downloads/${path(token)}` }),
  },
  'a download from the transfer folder of a desktop': {
    takes: [],
    inPath: true,
    ask: (token) => ann.send({ method: 'GET', url: `/v1/webapi/sites/-current-/desktop-downloads/${path(token)}` }),
  },
  'an install script': {
    takes: ['join'],
    inPath: true,
    async ask(token) {
      const { status, text } = await ann.send({ method: 'GET', url: `/scripts/${path(token)}/install-node.sh` });
      // A refusal is a script that says so and fails: it is piped into a shell.
      return { status: status === 200 && !text.includes('TOKEN=') ? 404 : status, text };
    },
  },
  'joining as an agent': {
    takes: ['join'],
    async ask(token) {
      const body = await joinBody(gateway.send, { token: String(token) || '-', name: 'edge', key: newAgentKey() });
      return post('/v1/webapi/agents/join', { ...body, token });
    },
  },
  'new recovery codes': { takes: ['proof'], ask: (tokenId) => post('/v1/webapi/recovery/codes', { tokenId }) },
  'a new device': {
    takes: [],
    ask: (tokenId) => post(`${mfa}/devices`, { tokenId, deviceName: 'x', secondFactorToken: '000000' }),
  },
  'using a link': {
    takes: ['link'],
    ask: (token) => post('/v1/webapi/users/password/token', { token, password: PASSWORD_64 }, 'PUT'),
  },
};

function wrongFor({ takes, inPath, ofAnybody }: Taker): [string, unknown][] {
  const others = Object.entries(good).filter(([kind]) => !takes.includes(kind));
  const spelt = takes.flatMap((kind): [string, string][] => {
    const token = good[kind] ?? '';
    return [
      [`${kind} cut short`, token.slice(0, -1)],
      [`${kind} made longer`, `${token}0`],
      [`${kind} in upper case`, `${token.toUpperCase()}`],
      [`${kind} after a space`, ` ${token}`],
      [`${kind} before NUL`, `${token}\0`],
      [`${kind} twice`, `${token},${token}`],
    ].filter(([, text]) => text !== token) as [string, string][];
  });
  const wrong: [string, unknown][] = [
    ...others.map(([kind, token]): [string, unknown] => [`of another kind (${kind})`, token]),
    ...Object.entries(gone).filter(([what]) => !ofAnybody || what !== "somebody else's proof"),
    ...spelt,
    ['the word null', 'null'],
    ['zeros', '0'.repeat(64)],
    ['a star', '*'],
    ['a percent sign', '%'],
    ['a quote', "' or '1'='1"],
  ];
  const first = good[takes[0] ?? 'link'];
  if (!inPath)
    wrong.push(
      ['empty', ''],
      ['null', null],
      ['missing', undefined],
      ['a number', 0],
      ['true', true],
      ['a list', [first]],
      ['an empty list', []],
      ['an object', { token: first }],
      ['an empty object', {}],
    );
  return wrong;
}

test.each(Object.keys(TAKERS))('%s takes no token but its own', async (name) => {
  const taker = TAKERS[name] as Taker;
  for (const [what, token] of wrongFor(taker)) {
    await setImmediate();
    // Guesses are counted and slowed down; here it is the token that must be refused.
    gateway.clock.advance(20);
    const { status, text } = await taker.ask(token);

    expect([what, status >= 400 && status < 500, text]).toEqual([what, true, text]);
  }
});

test.each(Object.entries(TAKERS).flatMap(([name, { takes }]) => takes.map((kind) => [name, kind] as const)))(
  '%s takes the right one (%s), so that the refusals above mean something',
  async (name, kind) => {
    gateway.clock.advance(5_000);
    const { status, text } = await (TAKERS[name] as Taker).ask(good[kind]);

    expect([status, text]).toEqual([200, text]);
  },
);

test('nothing of it invited, enrolled or renamed anybody', async () => {
  const admin = await gateway.signedIn('admin');

  expect((await call(admin.send, userRoutes.list, {})).map(({ name }) => name).toSorted()).toEqual([
    'admin',
    'ann',
    'bob',
    'cat',
  ]);
});
