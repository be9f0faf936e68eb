/**
 * An OpenID provider that lies as it is told. Real ones cannot be made to. It speaks the code flow and nothing more: `authorize` sends the
 * browser straight back, and what it says at each place is what `lies` makes of the truth.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export type HostileAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'HS256' | 'RS512' | 'none';

export interface Lies {
  settings?: (truth: Record<string, unknown>) => unknown;
  /** What the browser comes back with. */
  answer?: (truth: Record<string, string>) => Record<string, string>;
  idToken?: (truth: JWTPayload) => JWTPayload;
  /** `HS256` signs with the public key as the secret, as is known from libraries that fell for it. */
  algorithm?: HostileAlgorithm;
  /** Signs with a key that is published nowhere. */
  foreignKey?: boolean;
  /** No `kid` in what is signed. */
  noKeyId?: boolean;
  userinfo?: (truth: Record<string, unknown>) => unknown;
  /** Text instead of what would have been answered, by path: `/token`. */
  raw?: Record<string, { status?: number; body: string; headers?: Record<string, string> }>;
  tokens?: (truth: Record<string, unknown>) => Record<string, unknown>;
}

export interface HostileProvider {
  issuer: string;
  lies: Lies;
  /** The bodies of what was asked at `/token`. */
  exchanged: URLSearchParams[];
  /** How often each path was asked. */
  asked: Map<string, number>;
  /** A logout token, or whatever else is to be signed as the lies say. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  /** Publishes new keys in the place of the old ones. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

interface Keys {
  generation: number;
  rsa: CryptoKeyPair;
  ec: CryptoKeyPair;
  ed: CryptoKeyPair;
}

export async function startHostileProvider(client = 'gatehouse'): Promise<HostileProvider> {
  const state = { lies: {} as Lies, keys: await newKeys(1) };
  const foreign = await newKeys(1);
  const exchanged: URLSearchParams[] = [];
  const asked = new Map<string, number>();
  const nonces = new Map<string, string>();
  let codes = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1);
    const body = await textOf(request);
    const raw = state.lies.raw?.[url.pathname];
    if (raw) {
      response.writeHead(raw.status ?? 200, { 'content-type': 'application/json', ...raw.headers }).end(raw.body);
      return;
    }
    if (url.pathname === '/authorize') return sendBack(url, response);
    const said = await saidAt(url.pathname, body);
    response.writeHead(said === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said ?? {}));
  }

  function sendBack(url: URL, response: ServerResponse): void {
    const code = `code-${++codes}`;
    nonces.set(code, url.searchParams.get('nonce') ?? '');
    const truth = { code, state: url.searchParams.get('state') ?? '', iss: issuer };
    const back = new URL(url.searchParams.get('redirect_uri') ?? issuer);
    for (const [name, value] of Object.entries(state.lies.answer?.(truth) ?? truth)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  }

  async function saidAt(path: string, body: string): Promise<unknown> {
    const { lies } = state;
    const userinfo = { sub: 'subject-1', email: 'ann@acme.example', email_verified: true };
    if (path === '/.well-known/openid-configuration') return lies.settings ? lies.settings(settings()) : settings();
    if (path === '/jwks') return await published(state.keys);
    if (path === '/userinfo') return lies.userinfo ? lies.userinfo(userinfo) : userinfo;
    if (path !== '/token') return undefined;
    const form = new URLSearchParams(body);
    exchanged.push(form);
    const truth = {
      access_token: 'access-1',
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: `refresh-${exchanged.length}`,
      id_token: await idTokenFor(nonces.get(form.get('code') ?? '')),
    };
    return lies.tokens ? lies.tokens(truth) : truth;
  }

  async function idTokenFor(nonce: string | undefined): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const truth: JWTPayload = {
      iss: issuer,
      sub: 'subject-1',
      aud: client,
      iat: now,
      exp: now + 300,
      ...(nonce === undefined ? {} : { nonce }),
    };
    return await sign(state.lies.idToken?.(truth) ?? truth);
  }

  function settings(): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['openid', 'email', 'profile'],
    };
  }

  async function sign(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    const { algorithm = 'RS256', foreignKey = false, noKeyId = false } = state.lies;
    const keys = foreignKey ? foreign : state.keys;
    if (algorithm === 'none') return `${base64({ alg: 'none', ...header })}.${base64(claims)}.`;
    const { name, key } = await signingKey(keys, algorithm, state.keys);
    const kid = noKeyId ? {} : { kid: `${name}-${state.keys.generation}` };
    return await new SignJWT(claims).setProtectedHeader({ alg: algorithm, ...kid, ...header }).sign(key);
  }

  return {
    issuer,
    exchanged,
    asked,
    sign,
    get lies() {
      return state.lies;
    },
    set lies(lies) {
      state.lies = lies;
    },
    async rotateKeys() {
      state.keys = await newKeys(state.keys.generation + 1);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newKeys(generation: number): Promise<Keys> {
  const [rsa, ec, ed] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
    generateKeyPair('EdDSA', { extractable: true }),
  ]);
  return { generation, rsa, ec, ed };
}

async function published({ generation, rsa, ec, ed }: Keys) {
  const keys = Object.entries({ rsa, ec, ed }).map(async ([name, { publicKey }]) => ({
    ...(await exportJWK(publicKey)),
    kid: `${name}-${generation}`,
    use: 'sig',
  }));
  return { keys: await Promise.all(keys) };
}

async function signingKey(keys: Keys, algorithm: HostileAlgorithm, shown: Keys) {
  if (algorithm === 'HS256')
    return { name: 'rsa', key: new TextEncoder().encode(await exportSPKI(shown.rsa.publicKey)) };
  if (algorithm === 'ES256') return { name: 'ec', key: keys.ec.privateKey };
  if (algorithm === 'EdDSA') return { name: 'ed', key: keys.ed.privateKey };
  if (algorithm === 'RS256') return { name: 'rsa', key: keys.rsa.privateKey };
  // The same RSA key for another way of signing: as a key of Web Crypto it would be bound to the first.
  return { name: 'rsa', key: await exportJWK(keys.rsa.privateKey).then((jwk) => ({ ...jwk, alg: algorithm })) };
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
