/** A server that speaks the part of GitHub that sign-ins use: as a GitHub Enterprise server has it, API under /api/v3. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GithubAccount {
  id: number;
  login: string;
  name?: string;
  email?: string;
  /** As `organisation/slug`. */
  teams: readonly string[];
}

/** A whole answer in place of the right one: hostile, or just wrong. */
export interface Instead {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Text goes as it is, anything else as JSON. */
  body?: unknown;
}

export interface GithubServer {
  /** For `endpoint_url`. */
  origin: string;
  clientId: string;
  clientSecret: string;
  /** Whoever the next browser is signed in as over there; undefined: they refuse. */
  account: GithubAccount | undefined;
  /** Ids of organisations by name in lower case; those that are not named have one too. */
  organizations: Map<string, number>;
  /** Organisations that want their own sign-in first: their teams are left out, and it is told. */
  wantSso: Set<string>;
  perPage: number;
  /** What is answered instead, by path: `/api/v3/user`. */
  instead: Map<string, (request: IncomingMessage) => Instead>;
  /** Tokens that end, as those of a GitHub App do. */
  expiresIn: number | undefined;
  /** What tokens may; GitHub lets people take scopes out. */
  scope: string;
  /** Every request, as `GET /api/v3/user`. */
  asked: string[];
  /** Takes back all tokens, as a person or an administrator does over there. */
  revoke(): void;
  close(): Promise<void>;
}

interface Grant {
  account: GithubAccount;
  challenge: string;
  callback: string;
}

const API = '/api/v3';
const NOT_FOUND: Instead = { status: 404, body: { message: 'Not Found' } };
/** Ids of organisations nobody gave one. */
const idOf = (name: string) => 1 + (createHash('sha256').update(name).digest().readUInt32BE() % 1_000_000);

export async function startGithubServer(): Promise<GithubServer> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, GithubAccount>();
  const refreshes = new Map<string, GithubAccount>();
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const github: GithubServer = {
    origin,
    clientId: 'Iv1.gatehouse',
    clientSecret: randomBytes(20).toString('hex'),
    account: undefined,
    organizations: new Map(),
    wantSso: new Set(),
    perPage: 100,
    instead: new Map(),
    expiresIn: undefined,
    scope: 'read:org',
    asked: [],
    revoke() {
      tokens.clear();
      refreshes.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    github.asked.push(`${request.method} ${url.pathname}`);
    const {
      status = 200,
      headers = {},
      body = '',
    } = github.instead.get(url.pathname)?.(request) ?? (await rightAnswer(url, request));
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async function rightAnswer(url: URL, request: IncomingMessage): Promise<Instead> {
    if (url.pathname === '/login/oauth/authorize') return authorize(url);
    if (url.pathname === '/login/oauth/access_token' && request.method === 'POST')
      return { body: exchange(new URLSearchParams(await readText(request))) };
    return url.pathname.startsWith(`${API}/`) ? api(url, request) : NOT_FOUND;
  }

  /** The person says yes at once, or no. */
  function authorize({ searchParams: given }: URL): Instead {
    const challenge = given.get('code_challenge');
    if (given.get('client_id') !== github.clientId) return NOT_FOUND;
    if (given.get('code_challenge_method') !== 'S256' || !challenge) return { status: 400, body: 'no PKCE' };
    const callback = given.get('redirect_uri') ?? '';
    const back = new URL(callback);
    back.searchParams.set('state', given.get('state') ?? '');
    if (github.account) {
      const code = randomBytes(10).toString('hex');
      codes.set(code, { account: github.account, challenge, callback });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'The user has denied your application access.');
    }
    return { status: 302, headers: { location: back.href } };
  }

  function exchange(given: URLSearchParams): unknown {
    const refuse = (error: string) => ({
      error,
      error_description: `The ${error}.`,
      error_uri: 'https://docs.github.com',
    });
    if (given.get('client_id') !== github.clientId || given.get('client_secret') !== github.clientSecret)
      return refuse('incorrect_client_credentials');
    if (given.get('grant_type') === 'refresh_token') {
      const account = take(refreshes, given.get('refresh_token'));
      return account ? grant(account) : refuse('bad_refresh_token');
    }
    const held = take(codes, given.get('code'));
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (!held || held.challenge !== challenge) return refuse('bad_verification_code');
    return held.callback === given.get('redirect_uri') ? grant(held.account) : refuse('redirect_uri_mismatch');
  }

  function grant(account: GithubAccount): unknown {
    const ends = github.expiresIn;
    const access = `${ends === undefined ? 'gho' : 'ghu'}_${randomBytes(18).toString('hex')}`;
    tokens.set(access, account);
    if (ends === undefined) return { access_token: access, token_type: 'bearer', scope: github.scope };
    const refresh = `ghr_${randomBytes(18).toString('hex')}`;
    refreshes.set(refresh, account);
    return { access_token: access, token_type: 'bearer', scope: '', refresh_token: refresh, expires_in: ends };
  }

  function api(url: URL, request: IncomingMessage): Instead {
    const [, token = ''] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const known = tokens.get(token);
    if (!known) return { status: 401, body: { message: 'Bad credentials' } };
    // As it is over there now, not as it was when the token was made.
    const account = github.account?.id === known.id ? github.account : known;
    const path = url.pathname.slice(API.length);
    const [, organization] = /^\/orgs\/([^/]+)$/.exec(path) ?? [];
    const { id, login, name = null, email = null } = account;
    if (path === '/user') return { body: { id, login, name, email, type: 'User', avatar_url: `${origin}/a.png` } };
    if (path === '/user/teams') return teams(url, account);
    return organization === undefined ? NOT_FOUND : { body: organizationOf(organization) };
  }

  function teams(url: URL, account: GithubAccount): Instead {
    const ownerOf = (team: string) => team.split('/')[0]!;
    const shown = account.teams.filter((team) => !github.wantSso.has(ownerOf(team)));
    const hidden = [...new Set(account.teams.map(ownerOf))].filter((each) => github.wantSso.has(each));
    const page = Number(url.searchParams.get('page') ?? 1);
    const from = (page - 1) * github.perPage;
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    const isLast = from + github.perPage >= shown.length;
    const ids = hidden.map((each) => organizationOf(each).id).join(',');
    return {
      body: shown.slice(from, from + github.perPage).map(teamOf),
      headers: {
        ...(isLast ? {} : { link: `<${next.href}>; rel="next", <${url.href}>; rel="last"` }),
        ...(ids === '' ? {} : { 'x-github-sso': `partial-results; organizations=${ids}` }),
      },
    };
  }

  function teamOf(team: string) {
    const [organization = '', slug = ''] = team.split('/');
    return { id: idOf(team), name: slug, slug, organization: organizationOf(organization) };
  }

  function organizationOf(login: string) {
    const name = login.toLowerCase();
    return { login, id: github.organizations.get(name) ?? idOf(name) };
  }

  return github;
}

/** Used once. */
function take<T>(held: Map<string, T>, key: string | null): T | undefined {
  const found = held.get(key ?? '');
  held.delete(key ?? '');
  return found;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
