import { connect } from 'node:net';
import type { GithubDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type GithubAccount,
  type GithubServer,
  startGithubServer,
} from '../../../../../testing/connectors/github-server.ts';
import { proveHere } from '../../../../../testing/connectors/prove-here.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import { silentLog } from '../../../../platform/std/log.ts';
import { createMemo } from '../../../../platform/std/memo.ts';
import { createBoundedFetch } from '../../../../reach/direct/bounded-fetch.ts';
import type { AnswerRequest, OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { githubProvider } from './github-provider.ts';

const STATE = 'a'.repeat(64);
const CALLBACK = 'https://gate.example/v1/webapi/github/callback/acme';
const ANN: GithubAccount = {
  id: 4711,
  login: 'Ann',
  email: 'ann@acme.example',
  teams: ['Acme/dev', 'Acme/ops', 'other/x'],
};

const nothingPublished = () => Promise.reject(new Error('nothing is published'));

let github: GithubServer;
let time = 0;

beforeEach(async () => {
  github = await startGithubServer();
  github.account = ANN;
  time = Date.parse('2026-11-16');
});
afterEach(() => github.close());

const deps: ProviderDeps = {
  fetch: createBoundedFetch(async ({ addr }) => {
    const url = new URL(`http://${addr}`);
    const socket = connect(Number(url.port), url.hostname);
    const refused = () => new AppError('target_unreachable', `nothing answers at ${addr}`);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', () => reject(refused())));
    return socket;
  }),
  recall: Object.assign(nothingPublished, {
    as: nothingPublished,
    sparing: Object.assign(nothingPublished, { as: nothingPublished }),
  }),
  memo: createMemo(),
  samlAnswers: proveHere,
  now: () => time,
  log: silentLog,
  publicOrigin: () => 'https://gate.example',
};

function connector(
  more: Partial<OpenConnector<'github'>> = {},
  spec: Partial<GithubDocument['spec']> = {},
): OpenConnector<'github'> {
  return {
    kind: 'github',
    name: 'acme',
    document: {
      kind: 'github',
      version: 'v3',
      metadata: { name: 'acme' },
      spec: {
        client_id: github.clientId,
        endpoint_url: github.origin,
        teams_to_roles: [{ organization: 'acme', team: 'dev', roles: ['developer'] }],
        ...spec,
      },
    },
    secrets: { 'spec.client_secret': github.clientSecret },
    facts: {},
    ...more,
  };
}

/** What the browser brings back from over there. */
async function visit(used: OpenConnector<'github'>): Promise<AnswerRequest> {
  const { url, kept } = await githubProvider.begin(deps, used, { state: STATE, callback: CALLBACK });
  const { headers } = await fetch(url, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
  return { fields: Object.fromEntries(back.searchParams), callback: CALLBACK, state: STATE, kept, client: '192.0.2.1' };
}

async function signIn(used = connector()) {
  return await githubProvider.answer(deps, used, await visit(used));
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  const { step, message } = error as ProviderError;
  return `${step}: ${message}`;
}

test('somebody is known by the number of their account, with all their teams', async () => {
  expect(await signIn()).toMatchObject({
    issuer: github.origin,
    subject: '4711',
    username: 'ann',
    mfa: false,
    notes: [],
    claims: new Map(
      Object.entries({
        login: ['Ann'],
        id: ['4711'],
        teams: ['acme/dev', 'acme/ops', 'other/x'],
        organizations: ['acme', 'other'],
        email: ['ann@acme.example'],
      }),
    ),
  });
});

test('the browser is sent with PKCE, state and no more than read:org', async () => {
  const { url, kept, discovery } = await githubProvider.begin(deps, connector(), { state: STATE, callback: CALLBACK });
  const given = new URL(url).searchParams;

  expect(Object.fromEntries(given)).toMatchObject({ scope: 'read:org', state: STATE, code_challenge_method: 'S256' });
  for (const secret of Object.values(kept)) expect(url).not.toContain(secret);
  expect(url).not.toContain(github.clientSecret);
  expect(discovery).toContain(`${github.origin}/api/v3`);
});

test('somebody is asked which account it is only where that is wanted', async () => {
  const promptOf = async (asksWho: boolean) => {
    const { url } = await githubProvider.begin(deps, connector(), { state: STATE, callback: CALLBACK, asksWho });
    return new URL(url).searchParams.get('prompt');
  };

  expect(await promptOf(false)).toBeNull();
  expect(await promptOf(true)).toBe('select_account');
});

test('nobody is sent there for a proof of now, as GitHub does not say when they signed in', async () => {
  const begun = githubProvider.begin(deps, connector(), { state: STATE, callback: CALLBACK, isFresh: true });

  await expect(begun).rejects.toMatchObject({
    message: expect.stringContaining('does not say when'),
    isTrouble: false,
    advice: expect.stringContaining('GitHub cannot prove'),
  });
  expect((await signIn()).provenAt).toBeUndefined();
});

test('all pages of teams are read', async () => {
  github.perPage = 30;
  github.account = { ...ANN, teams: Array.from({ length: 100 }, (_, index) => `acme/t${index}`) };

  expect((await signIn()).claims.get('teams')).toHaveLength(100);
  expect(github.asked.filter((each) => each.endsWith('/user/teams'))).toHaveLength(4);
});

test('pages beyond the fiftieth are left out, and it is told', async () => {
  github.perPage = 1;
  github.account = { ...ANN, teams: Array.from({ length: 60 }, (_, index) => `acme/t${index}`) };
  const { claims, notes } = await signIn();

  expect(claims.get('teams')).toHaveLength(50);
  expect(notes).toEqual([expect.stringContaining('the rest was left out')]);
});

test('a page on another host gets no token', async () => {
  github.instead.set('/api/v3/user/teams', () => ({
    headers: { link: `<${github.origin.replace('127.0.0.1', 'localhost')}/api/v3/user/teams?page=2>; rel="next"` },
    body: [],
  }));

  expect(await failure(signIn())).toContain('it is not followed');
});

test('the ids of organisations are learnt, and one that took over a name gives nothing', async () => {
  github.organizations.set('acme', 1).set('globex', 2);
  const spec = {
    teams_to_roles: ['acme', 'globex'].map((organization) => ({ organization, team: 'dev', roles: ['developer'] })),
  };
  const { facts } = await signIn(connector({}, spec));
  expect(facts).toEqual({ organization_id: { acme: 1, globex: 2 } });

  github.organizations.set('acme', 666);
  const later = await signIn(connector({ facts: facts! }, spec));
  expect(later.claims.get('teams')).toEqual(['other/x']);
  expect(later.claims.get('organizations')).toEqual(['other']);
  expect(later.notes.join()).toContain('666');
  expect(later.facts).toEqual(facts);

  const told = await signIn(connector({ facts: facts! }, { ...spec, organization_id: { Acme: 666 } }));
  expect(told.claims.get('teams')).toContain('acme/dev');
});

test('teams that are hidden behind the sign-in of an organisation are told', async () => {
  github.wantSso.add('Acme');
  const { claims, notes } = await signIn();

  expect(claims.get('teams')).toEqual(['other/x']);
  expect(notes).toEqual([
    "GitHub showed no team of 'acme': authorise Gatehouse for it, or let its owner approve the application",
  ]);
});

test('a refusal over there is told', async () => {
  github.account = undefined;

  expect(await failure(signIn())).toBe('redirect: the sign-in was refused at GitHub');
});

test('the answer to another sign-in is refused before any token is asked for', async () => {
  const used = connector();
  const { fields, ...rest } = await visit(used);
  const before = github.asked.length;
  for (const state of ['b'.repeat(64), '', undefined, [STATE], {}, 'a'])
    expect(await failure(githubProvider.answer(deps, used, { ...rest, fields: { ...fields, state } }))).toContain(
      'another sign-in',
    );
  for (const code of [undefined, '', ['x'], 'a b', 'a\r\nb', 'x'.repeat(5000)])
    expect(await failure(githubProvider.answer(deps, used, { ...rest, fields: { ...fields, code } }))).toContain(
      'no code',
    );

  expect(github.asked.slice(before)).toEqual([]);
});

test('a code is good once, with the verifier and the callback it was made for', async () => {
  const used = connector();
  const first = await visit(used);
  await githubProvider.answer(deps, used, first);
  expect(await failure(githubProvider.answer(deps, used, first))).toContain('does not take the code');

  const second = await visit(used);
  expect(await failure(githubProvider.answer(deps, used, { ...second, kept: { verifier: 'x'.repeat(43) } }))).toContain(
    'does not take the code',
  );
  const third = await visit(used);
  expect(await failure(githubProvider.answer(deps, used, { ...third, callback: `${CALLBACK}x` }))).toContain(
    'callback address',
  );
  expect(await failure(githubProvider.answer(deps, used, { ...(await visit(used)), kept: {} }))).toContain(
    'no sign-in',
  );
});

test('settings that are wrong are told as such', async () => {
  const wrong = connector({ secrets: { 'spec.client_secret': 'wrong' } });
  expect(await failure(signIn(wrong))).toBe(
    'token: GitHub does not take the client_secret: enter the one of this application',
  );
  expect(await failure(signIn(connector({ secrets: {} })))).toContain('settings: ');

  github.scope = 'user';
  expect(await failure(signIn())).toContain("did not grant 'read:org'");
});

const TOKEN = '/login/oauth/access_token';
const token = { access_token: 'gho_x', token_type: 'bearer', scope: 'read:org' };

test.each<[string, string, { status?: number; headers?: Record<string, string>; body: unknown }]>([
  ['no JSON', TOKEN, { body: 'access_token=x&scope=read:org&token_type=bearer' }],
  ['nothing', TOKEN, { body: '' }],
  ['null', TOKEN, { body: 'null' }],
  ['a token that would end a header', TOKEN, { body: { ...token, access_token: 'x\r\nHost: evil' } }],
  ['a token that is a list', TOKEN, { body: { ...token, access_token: ['x'] } }],
  ['an empty token', TOKEN, { body: { ...token, access_token: '' } }],
  ['a token of another type', TOKEN, { body: { ...token, token_type: 'mac' } }],
  ['an error that is an object', TOKEN, { body: { error: {}, access_token: 'x' } }],
  [
    'an error with everything',
    TOKEN,
    { body: { error: 'x', error_description: `\u202e\n${'y'.repeat(100_000)}`, ...token } },
  ],
  ['more than 1 MiB', TOKEN, { body: JSON.stringify({ ...token, more: 'x'.repeat(1_100_000) }) }],
  ['a redirect', TOKEN, { status: 302, headers: { location: 'https://evil.example' }, body: '' }],
  ['500', TOKEN, { status: 500, body: 'oops' }],
  ['an id that is text', '/api/v3/user', { body: { id: '4711', login: 'ann' } }],
  ['an id that is no whole number', '/api/v3/user', { body: { id: 1.5, login: 'ann' } }],
  ['an id that is too large to be told apart', '/api/v3/user', { body: '{"id":9007199254740993,"login":"ann"}' }],
  ['no id', '/api/v3/user', { body: { login: 'ann' } }],
  ['a login that is none', '/api/v3/user', { body: { id: 1, login: '../admin' } }],
  ['a login that begins with a dash', '/api/v3/user', { body: { id: 1, login: '-internal' } }],
  ['a list', '/api/v3/user', { body: [] }],
  ['deep nesting', '/api/v3/user', { body: `${'['.repeat(400_000)}${']'.repeat(400_000)}` }],
  ['an object', '/api/v3/user/teams', { body: {} }],
  ['teams without an organisation', '/api/v3/user/teams', { body: [{ slug: 'dev' }] }],
  [
    'a slug that is a list',
    '/api/v3/user/teams',
    { body: [{ slug: ['dev'], organization: { login: 'acme', id: 1 } }] },
  ],
  ['an organisation without an id', '/api/v3/user/teams', { body: [{ slug: 'dev', organization: { login: 'acme' } }] }],
  ['403', '/api/v3/user/teams', { status: 403, body: { message: 'no' } }],
  ['401', '/api/v3/user', { status: 401, body: { message: 'no' } }],
])('%s from %s is refused, briefly and without a secret', async (_, path, answer) => {
  const used = connector();
  const visited = await visit(used);
  github.instead.set(path, () => answer);
  const said = await failure(githubProvider.answer(deps, used, visited));

  expect(said).toMatch(/^(token|identity): /);
  expect(said.length).toBeLessThan(400);
  expect(said).not.toMatch(/[\n\u202e]/u);
  expect(said).not.toContain(github.clientSecret);
});

test('names of claims in an answer are those of ours alone', async () => {
  github.instead.set('/api/v3/user', () => ({
    body: '{"id":4711,"login":"ann","__proto__":{"x":1},"logins":["root"],"teams":["acme/admins"]}',
  }));

  expect([...(await signIn()).claims.keys()].sort()).toEqual(['id', 'login', 'organizations', 'teams']);
});

const recheck = (tokens: string | undefined, used = connector()) => githubProvider.recheck!(deps, used, tokens!);

test('a recheck says what is so now', async () => {
  const { tokens } = await signIn();
  expect(await recheck(tokens)).toMatchObject({ state: 'confirmed', notes: [] });

  github.account = { ...ANN, teams: ['other/x'] };
  const fewer = await recheck(tokens);
  expect(fewer).toMatchObject({ state: 'confirmed', notes: [expect.stringContaining("no team of 'acme'")] });
  expect(fewer.state === 'confirmed' && fewer.claims.get('teams')).toEqual(['other/x']);

  github.account = { ...ANN, login: 'anna', teams: [] };
  const none = await recheck(tokens);
  expect(none.state === 'confirmed' && [none.claims.get('login'), none.claims.get('teams')]).toEqual([
    ['anna'],
    undefined,
  ]);

  github.revoke();
  expect(await recheck(tokens)).toMatchObject({ state: 'gone' });
});

test.each([403, 429, 500, 502, 404])('nobody is gone because GitHub answers %i', async (status) => {
  const { tokens } = await signIn();
  github.instead.set('/api/v3/user', () => ({ status, body: { message: 'no' } }));

  expect(await failure(recheck(tokens))).toContain('identity: ');
});

test('the limit of questions is told as what it is', async () => {
  const { tokens } = await signIn();
  github.instead.set('/api/v3/user', () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: {} }));

  expect(await failure(recheck(tokens))).toContain('its limit is reached');
});

test('nobody is gone because GitHub is not there', async () => {
  const { tokens } = await signIn();
  const used = connector({}, { endpoint_url: 'http://127.0.0.1:1' });

  expect(await failure(recheck(tokens, used))).toContain('nothing answers');
});

test('a token that answers for another account confirms nobody', async () => {
  const { tokens } = await signIn();
  github.instead.set('/api/v3/user', () => ({ body: { id: 1, login: 'ann' } }));

  expect(await recheck(tokens)).toMatchObject({ state: 'gone' });
});

test('tokens that end are renewed before, and the new one is kept', async () => {
  github.expiresIn = 8 * 3600;
  const { tokens } = await signIn();
  expect(await recheck(tokens)).toMatchObject({ state: 'confirmed', tokens: undefined });

  time += 8 * 3_600_000;
  const renewed = await recheck(tokens);
  expect(renewed).toMatchObject({ state: 'confirmed', tokens: expect.any(String) });
  // The old one is used up.
  expect(await recheck(tokens)).toMatchObject({ state: 'gone' });
  expect(renewed.state === 'confirmed' && (await recheck(renewed.tokens))).toMatchObject({ state: 'confirmed' });
});

test('a token that was renewed is not lost when GitHub then fails', async () => {
  github.expiresIn = 8 * 3600;
  const { tokens } = await signIn();
  time += 8 * 3_600_000;
  github.instead.set('/api/v3/user', () => ({ status: 502, body: '' }));
  const failed = await recheck(tokens);
  expect(failed).toMatchObject({ state: 'unanswered', tokens: expect.any(String) });

  github.instead.clear();
  expect(failed.state === 'unanswered' && (await recheck(failed.tokens))).toMatchObject({ state: 'confirmed' });
});
