/** A gateway and a real OpenID provider, with a connector between them, and browsers that walk the whole way. */
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import type { RecheckLoop } from '../../src/identity/connectors/recheck/recheck-loop.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import type { CookieBrowser } from './cookie-browser.ts';
import { type OidcAccount, type OidcWorld, startOidcWorld } from './oidc-world.ts';

export const ORIGIN = 'http://localhost:3080';
export const CLIENT_SECRET = 'a secret nobody may ever read';

export interface SsoGateway extends IdentityGateway {
  world: OidcWorld;
  admin: TestBrowser;
  rechecks: RecheckLoop;
  /** The text of a connector, with more of its spec. */
  document(spec?: Record<string, unknown>, name?: string): string;
  save(spec?: Record<string, unknown>, name?: string): Promise<void>;
  /** Sends a browser the whole way; gives where it ends. */
  signIn(browser: TestBrowser, account: string, options?: WayOptions): Promise<string>;
  /** To the provider and back, up to the address the provider sends the browser to. */
  toCallback(browser: TestBrowser, account: string, options?: WayOptions): Promise<string>;
}

interface WayOptions {
  connector?: string;
  path?: string;
  /** Asks for a proof of now. */
  isFresh?: boolean;
  /** The browser as the provider knows it; one that it has never seen unless told. */
  there?: Pick<CookieBrowser, 'follow'>;
}

export const ANN = {
  email: 'ann@acme.example',
  email_verified: true,
  groups: ['staff', 'ops'],
};

type Options = Parameters<typeof startIdentityGateway>[0] & {
  accounts?: Record<string, OidcAccount>;
  connectors?: readonly string[];
};

export async function startSsoGateway({
  accounts = { ann: ANN },
  connectors = ['okta'],
  ...options
}: Options = {}): Promise<SsoGateway> {
  const gateway = await startIdentityGateway(options);
  // The provider lives by the machine's clock.
  gateway.clock.now = Date.now();
  const world = await startOidcWorld({
    accounts,
    clients: connectors.map((name) => ({
      id: `client-${name}`,
      secret: CLIENT_SECRET,
      callback: `${ORIGIN}/v1/webapi/oidc/callback/${name}`,
      backchannel: `${ORIGIN}/v1/webapi/oidc/backchannel/${name}`,
      afterSignOut: `${ORIGIN}/web/login`,
    })),
    // Nothing listens: what the provider sends goes into the gateway as if it did.
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const { statusCode, body } = await gateway.app.inject({
        method: 'POST',
        url: pathname,
        headers: { host: 'localhost:3080', 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(init.body),
      });
      return new Response(body === '' ? null : body, { status: statusCode });
    },
  });
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  const admin = await gateway.signedIn('admin');

  const document = (spec: Record<string, unknown> = {}, name = 'okta') =>
    JSON.stringify({
      kind: 'oidc',
      version: 'v3',
      metadata: { name },
      spec: {
        issuer_url: world.issuer,
        client_id: `client-${name}`,
        client_secret: CLIENT_SECRET,
        claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['access'] }],
        ...spec,
      },
    });
  const toCallback: SsoGateway['toCallback'] = async (
    browser,
    account,
    { connector = 'okta', path = '/web', isFresh = false, there = world } = {},
  ) => {
    world.signInAs(account);
    const wish = isFresh ? '&fresh=yes' : '';
    const begun = await visit(
      browser,
      `/v1/webapi/oidc/login/web?connector_id=${connector}${wish}&redirect_url=${encodeURIComponent(`${ORIGIN}${path}`)}`,
    );
    if (begun.startsWith('/')) return begun;
    const back = await there.follow(begun, `${ORIGIN}/v1/webapi/oidc/callback`);
    return back.slice(ORIGIN.length);
  };
  return {
    ...gateway,
    world,
    admin,
    rechecks: gateway.identity.rechecks(),
    document,
    toCallback,
    async save(spec, name) {
      await call(admin.send, oidcConnectorRoutes.create, { body: { content: document(spec, name) } });
    },
    async signIn(browser, account, options) {
      let at = await toCallback(browser, account, options);
      while (at.startsWith('/v1/')) at = await visit(browser, at);
      return at;
    },
    async close() {
      await gateway.close();
      await world.close();
    },
  };
}

/** Opens an address as a browser does; gives where the page leads, or its words. */
export async function visit(browser: TestBrowser, url: string): Promise<string> {
  const { status, text, location } = await browser.visit(url);
  if (status === 302) return location ?? '';
  const refresh = /content="0;URL='([^']*)'"/.exec(text)?.[1];
  return refresh?.replaceAll('&amp;', '&') ?? /<p>([^<]*)</.exec(text)?.[1] ?? `${status} ${text}`;
}
