/** A connector to an OpenID provider of a test, used as the gateway uses it, and the way of a browser through it. */

import { connect } from 'node:net';
import { type OidcDocument, oidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { oidcProvider } from '../../src/identity/connectors/providers/oidc/oidc-provider.ts';
import type {
  Assertion,
  Begun,
  OpenConnector,
  ProviderDeps,
} from '../../src/identity/connectors/providers/provider.ts';
import type { ProviderFetch } from '../../src/identity/connectors/providers/provider-fetch.ts';
import { createProviderRecall } from '../../src/identity/connectors/providers/provider-memory.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { createMemo } from '../../src/platform/std/memo.ts';
import { createBoundedFetch } from '../../src/reach/direct/bounded-fetch.ts';
import { createCookieBrowser } from './cookie-browser.ts';
import { proveHere } from './prove-here.ts';

export const CLIENT = 'gatehouse';
export const SECRET = 'a secret of the client: &=%+/';
export const ORIGIN = 'https://gate.example';
export const CALLBACK = `${ORIGIN}/v1/webapi/oidc/callback/okta`;
export const STATE = 'the-state-of-the-attempt';

export interface TestClock {
  now(): number;
  /** Lets time pass for the gateway, and not for the provider. */
  pass(ms: number): void;
}

export function testClock(): TestClock {
  let passed = 0;
  return {
    now: () => Date.now() + passed,
    pass(ms) {
      passed += ms;
    },
  };
}

/** Without a guard, which has tests of its own. */
export function providerDeps(clock: TestClock = testClock(), around = (fetch: ProviderFetch) => fetch): ProviderDeps {
  const fetch = around(
    createBoundedFetch(
      ({ addr }) =>
        new Promise((resolve, reject) => {
          const { hostname, port } = new URL(`http://${addr}`);
          const socket = connect(Number(port), hostname);
          socket.once('connect', () => resolve(socket)).once('error', reject);
        }),
    ),
  );
  const { now } = clock;
  return {
    fetch,
    recall: createProviderRecall({ fetch, now }),
    memo: createMemo(),
    samlAnswers: proveHere,
    now,
    log: silentLog,
    publicOrigin: () => ORIGIN,
  };
}

export function oidcConnector(
  issuer: string,
  spec: Record<string, unknown> = {},
  { secret = SECRET }: { secret?: string | null } = {},
): OpenConnector<'oidc'> {
  const document: OidcDocument = oidcDocument.parse({
    kind: 'oidc',
    version: 'v3',
    metadata: { name: 'okta' },
    spec: {
      issuer_url: issuer,
      client_id: CLIENT,
      claims_to_roles: [{ claim: 'groups', value: 'admins', roles: ['editor'] }],
      ...spec,
    },
  });
  return {
    kind: 'oidc',
    name: 'okta',
    document,
    secrets: secret === null ? {} : { 'spec.client_secret': secret },
    facts: {},
  };
}

export async function beginAt(deps: ProviderDeps, connector: OpenConnector<'oidc'>): Promise<Begun> {
  return await oidcProvider.begin(deps, connector, { state: STATE, callback: CALLBACK });
}

/** The whole way: to the provider, back, and what it proves. `change` may forge what the browser brings. */
export async function signInAt(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  { hint, change = (fields) => fields }: SignInOptions = {},
): Promise<Assertion> {
  const begun = await beginAt(deps, connector);
  const url = new URL(begun.url);
  if (hint !== undefined) url.searchParams.set('login_hint', hint);
  const back = new URL(await createCookieBrowser().follow(url.href, CALLBACK));
  const fields = change(Object.fromEntries(back.searchParams));
  return await oidcProvider.answer(deps, connector, {
    fields,
    callback: CALLBACK,
    state: STATE,
    kept: begun.kept,
    client: '192.0.2.1',
  });
}

interface SignInOptions {
  hint?: string;
  change?: (fields: Record<string, string>) => Record<string, unknown>;
}
