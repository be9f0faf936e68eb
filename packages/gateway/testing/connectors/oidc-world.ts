/**
 * A real OpenID provider on this machine. Nobody types anything there: whoever is sent to it is signed in and has agreed at once, as the
 * account in `login_hint` or else as the last one that was named by `signInAs`. So a browser, or `follow` with its cookies, needs only to go
 * where it is sent:
 *
 *   const world = await startOidcWorld({ accounts: { ann: { email: 'ann@acme.example' } }, clients: [{ id: 'gatehouse', secret, callback }] });
 *   world.signInAs('ann');
 *   const back = await world.follow(begun.url, callback); // the address the provider sends the browser back to
 *
 * `world.account('ann').groups = […]` changes what it says from now on, `signOut` sends back-channel logout, `withdraw` lets refresh fail.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type AdapterFactory, type ClientMetadata, type Configuration } from 'oidc-provider';
import { createCookieBrowser } from './cookie-browser.ts';
import { createOidcStore } from './oidc-store.ts';

export type OidcAccount = Record<string, unknown>;

export interface OidcClient {
  id: string;
  /** Without one, the client is public. */
  secret?: string;
  callback: string;
  /** Where back-channel logout is sent. */
  backchannel?: string;
  /** Where the browser may go after it signed out. */
  afterSignOut?: string;
  algorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA';
  auth?: 'client_secret_post' | 'client_secret_basic';
}

export interface OidcWorldOptions {
  accounts: Record<string, OidcAccount>;
  clients: readonly OidcClient[];
  /** Claims of the ID token too, and not of userinfo alone. */
  claimsInIdToken?: boolean;
  /** Gives refresh tokens only as the letter of OpenID has it: for `offline_access` with `prompt=consent`. */
  strictOffline?: boolean;
  /** How back-channel logout is sent; the machine's own fetch unless told. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What goes wrong before the provider gets to answer. */
export interface OidcFaults {
  /** Answers with this status at addresses that contain the text. */
  status?: { at: string; status: number };
  /** Redirects to another address, as providers behind a new name do. */
  redirect?: { at: string; to: string };
  /** Answers no sooner than that. */
  held?: { at: string; until: Promise<void> };
  /** Answers that late. */
  slow?: { at: string; ms: number };
  /** Answers with so many bytes of JSON. */
  huge?: { at: string; bytes: number };
}

export interface OidcWorld {
  issuer: string;
  faults: OidcFaults;
  /** All that was asked, as `POST /token`. */
  asked: string[];
  /** The logout tokens it sent, newest last. */
  told: string[];
  account(id: string): OidcAccount;
  signInAs(id: string): void;
  /** Goes where it is sent, with cookies of its own, until an address that begins with `until`. */
  follow(url: string, until: string): Promise<string>;
  /** Sends back-channel logout to the client: for the person, and for the session where `sid` is told. */
  signOut(client: string, account: string, sid?: string): Promise<void>;
  /** Everybody who is signed in there did so that much longer ago. */
  ageSessions(ms: number): void;
  /** They are gone, or took back what they allowed: no refresh token of theirs is taken any more. */
  withdraw(account: string): Promise<void>;
  close(): Promise<void>;
}

const STANDARD_CLAIMS = ['sub', 'email', 'email_verified', 'preferred_username', 'name', 'groups', 'sid', 'acr', 'amr'];

export async function startOidcWorld(options: OidcWorldOptions): Promise<OidcWorld> {
  const accounts = new Map(Object.entries(options.accounts).map(([id, claims]) => [id, { ...claims }]));
  const grants = new Map<string, string[]>();
  const asked: string[] = [];
  const told: string[] = [];
  const world: { signedInAs: string; faults: OidcFaults } = { signedInAs: [...accounts.keys()][0] ?? '', faults: {} };

  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = createOidcStore();
  const { adapter } = store;
  const provider = new Provider(issuer, configurationOf({ ...options, adapter, fetch: tell }, accounts));

  async function tell(url: string, init: RequestInit): Promise<Response> {
    told.push(new URLSearchParams(String(init.body)).get('logout_token') ?? '');
    return await (options.fetch ?? fetch)(url, init);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await spoil(world.faults, request, response)) return;
    if (request.url?.startsWith('/interaction/')) return await agree(request, response);
    await provider.callback()(request, response);
  }

  async function agree(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const accountId = typeof params.login_hint === 'string' ? params.login_hint : world.signedInAs;
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const grantId = await grant.save();
    grants.set(accountId, [...(grants.get(accountId) ?? []), grantId]);
    const { amr } = accounts.get(accountId) ?? {};
    const login = { accountId, ...(Array.isArray(amr) ? { amr: amr.map(String) } : {}) };
    const result = { login, consent: { grantId } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  return {
    issuer,
    asked,
    told,
    get faults() {
      return world.faults;
    },
    set faults(faults) {
      world.faults = faults;
    },
    account(id) {
      const found = accounts.get(id);
      if (!found) throw new Error(`the provider has no account '${id}'`);
      return found;
    },
    signInAs(id) {
      world.signedInAs = id;
    },
    follow: async (url, until) => await createCookieBrowser().follow(url, until),
    async signOut(client, account, sid) {
      const found = await provider.Client.find(client);
      if (!found || !('backchannelLogout' in found) || typeof found.backchannelLogout !== 'function')
        throw new Error(`the provider has no client '${client}' to tell`);
      await found.backchannelLogout(account, sid);
    },
    ageSessions: store.ageSessions,
    async withdraw(account) {
      for (const id of grants.get(account) ?? []) await (await provider.Grant.find(id))?.destroy();
      grants.delete(account);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configurationOf(
  {
    clients,
    claimsInIdToken = false,
    strictOffline = false,
    adapter,
    fetch,
  }: OidcWorldOptions & { adapter: AdapterFactory; fetch: NonNullable<OidcWorldOptions['fetch']> },
  accounts: ReadonlyMap<string, OidcAccount>,
): Configuration {
  const names = new Set([...STANDARD_CLAIMS, ...[...accounts.values()].flatMap((claims) => Object.keys(claims))]);
  return {
    adapter,
    clients: clients.map(clientOf),
    renderError(ctx, said) {
      ctx.type = 'text';
      ctx.body = JSON.stringify(said);
    },
    jwks: { keys: SIGNING_KEYS },
    cookies: { keys: ['only for tests'] },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    claims: { openid: [...names] },
    conformIdTokenClaims: !claimsInIdToken,
    pkce: { required: () => true },
    ...(strictOffline ? {} : { issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token') }),
    rotateRefreshToken: true,
    findAccount: (_ctx, accountId) => {
      const claims = accounts.get(accountId);
      return claims && { accountId, claims: () => ({ ...claims, sub: accountId }) };
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
    // Its own guard lets it tell nobody on this machine.
    fetch: async (url, { method, headers, body, signal } = {}) =>
      await fetch(String(url), {
        method: method!,
        headers: headers!,
        body: body!,
        signal: signal!,
        redirect: 'manual',
      }),
    ttl: { AccessToken: 600, IdToken: 600, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
  };
}

function clientOf({
  id,
  secret,
  callback,
  backchannel,
  afterSignOut,
  algorithm = 'RS256',
  auth,
}: OidcClient): ClientMetadata {
  return {
    client_id: id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    token_endpoint_auth_method: secret === undefined ? 'none' : (auth ?? 'client_secret_post'),
    redirect_uris: [callback],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    id_token_signed_response_alg: algorithm,
    ...(backchannel === undefined
      ? {}
      : { backchannel_logout_uri: backchannel, backchannel_logout_session_required: true }),
    ...(afterSignOut === undefined ? {} : { post_logout_redirect_uris: [afterSignOut] }),
  };
}

/** One set for all providers of a process: an RSA key takes longer to make than most tests take. No test takes one for another. */
const SIGNING_KEYS = signingKeys();

function signingKeys() {
  const pairs = [
    { kid: 'rsa', pair: generateKeyPairSync('rsa', { modulusLength: 2048 }) },
    { kid: 'ec', pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
    { kid: 'ed', pair: generateKeyPairSync('ed25519') },
  ];
  return pairs.map(({ kid, pair }) => ({ ...pair.privateKey.export({ format: 'jwk' }), kid, use: 'sig' }));
}

/** Whether it answered instead of the provider. */
async function spoil(faults: OidcFaults, { url = '' }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { status, redirect, slow, held, huge } = faults;
  if (held && url.includes(held.at)) await held.until;
  if (slow && url.includes(slow.at)) await new Promise((resolve) => setTimeout(resolve, slow.ms));
  if (redirect && url.includes(redirect.at)) {
    response.writeHead(302, { location: redirect.to }).end();
    return true;
  }
  if (status && url.includes(status.at)) {
    response.writeHead(status.status, { 'content-type': 'application/json' }).end('{}');
    return true;
  }
  if (huge && url.includes(huge.at)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"filler":"${'x'.repeat(huge.bytes)}"}`);
    return true;
  }
  return false;
}
