/** Makes the connectors out of what identity has and a way to reach providers. */
import type { Feature } from '@gatehouse/contract/api/api';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import { createMemo } from '../../platform/std/memo.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { Authenticate } from '../sign-in/authenticate.ts';
import type { Attempts } from '../sign-in/failures.ts';
import type { LoginFailures } from '../sign-in/login-failures.ts';
import type { ConnectorDeps } from './connector-deps.ts';
import { connectorHandlers } from './manage/connector-handlers.ts';
import { identityHandlers } from './manage/identity-handlers.ts';
import { createOfferedConnectors, type OfferedConnectors } from './manage/offered-connectors.ts';
import { testHandlers } from './manage/test-handlers.ts';
import type { ProviderDeps } from './providers/provider.ts';
import type { ProviderFetch, ProviderFetches } from './providers/provider-fetch.ts';
import { createProviderRecall } from './providers/provider-memory.ts';
import { createSamlAnswers } from './providers/saml/thread/create-saml-answers.ts';
import { type RecheckLoop, startRecheckLoop } from './recheck/recheck-loop.ts';
import { factorHandlers } from './sign-in/factor-handlers.ts';
import { flowHandlers } from './sign-in/flow-handlers.ts';

export type ConnectorFeature = Extract<
  Feature,
  | 'githubFlow'
  | 'oidcFlow'
  | 'samlFlow'
  | 'ssoFlow'
  | 'ssoFactor'
  | 'connectorTests'
  | 'identities'
  | 'githubConnectors'
  | 'oidcConnectors'
  | 'samlConnectors'
>;

export interface Connectors {
  handlers: FeatureHandlers<ConnectorFeature>;
  offered: OfferedConnectors;
  rechecks: RecheckLoop;
  close(): Promise<void>;
}

const MAX_LOGOUT_TOKENS = 10_000;
const MAX_OPENED = 256;

export function createConnectors(
  parts: IdentityDeps & {
    attempts: Attempts;
    byCookie: Authenticate['cookie'];
    loginFailures: LoginFailures;
    feed: ChangeFeed;
    fetches: ProviderFetches;
  },
): Connectors {
  const { fetches, feed, ...identity } = parts;
  const { now, log, settings } = identity;
  const samlAnswers = createSamlAnswers({ log });
  const memo = createMemo();
  // Each with a memory of its own: what one may not ask for must not be read from what the other has asked.
  const asking = (fetch: ProviderFetch): ProviderDeps => ({
    fetch,
    recall: createProviderRecall({ fetch, now }),
    memo,
    samlAnswers,
    now,
    log,
    publicOrigin: settings.publicOrigin,
  });
  const [elsewhere, anywhere] = [asking(fetches.elsewhere), asking(fetches.anywhere)];
  const deps: ConnectorDeps = {
    ...identity,
    opened: new BoundedMap(MAX_OPENED),
    provider: elsewhere,
    asking: ({ ownMachine }) => (ownMachine ? anywhere : elsewhere),
  };
  const offered = createOfferedConnectors(deps.db, feed);
  const rechecks = startRecheckLoop(deps);
  return {
    handlers: {
      ...flowHandlers({ ...deps, logoutTokens: new BoundedMap(MAX_LOGOUT_TOKENS) }),
      ssoFactor: factorHandlers(deps),
      connectorTests: testHandlers(deps),
      identities: identityHandlers(deps),
      githubConnectors: connectorHandlers(deps, 'github'),
      oidcConnectors: connectorHandlers(deps, 'oidc'),
      samlConnectors: connectorHandlers(deps, 'saml'),
    },
    offered,
    rechecks,
    async close() {
      offered.close();
      await Promise.all([rechecks.close(), samlAnswers.close()]);
    },
  };
}
