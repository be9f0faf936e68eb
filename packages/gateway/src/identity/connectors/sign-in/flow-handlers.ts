/** Answers the pages a browser passes through on the way to a provider and back. */

import { redirectTarget } from '@gatehouse/contract/console/pages';
import type {
  githubFlowRoutes,
  oidcFlowRoutes,
  samlFlowRoutes,
  ssoFlowRoutes,
} from '@gatehouse/contract/identity/connectors/connector-flow';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import type { PageReply } from '../../../platform/http/page-reply.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { type ConnectorDeps, openConnector } from '../connector-deps.ts';
import { type BackChannelDeps, endByLogoutToken } from '../links/back-channel.ts';
import type { OpenConnector } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { serviceMetadata } from '../providers/saml/metadata.ts';
import { findConnector } from '../stores/connector-store.ts';
import { beginAttempt, rememberBrowser } from './flow/begin-attempt.ts';
import { failAttempt } from './flow/fail-attempt.ts';
import { finishFlow } from './flow/finish-attempt.ts';
import { openTest } from './flow/open-test.ts';
import { type GivenAnswer, takeAnswer } from './flow/take-answer.ts';

interface FlowHandlers {
  githubFlow: Handlers<typeof githubFlowRoutes>;
  oidcFlow: Handlers<typeof oidcFlowRoutes>;
  samlFlow: Handlers<typeof samlFlowRoutes>;
  ssoFlow: Handlers<typeof ssoFlowRoutes>;
}

export function flowHandlers(deps: BackChannelDeps): FlowHandlers {
  const begin = (kind: ConnectorKind) => async (call: { query: BeginQuery; exchange: Exchange }) =>
    beginSignIn(deps, kind, call.query, call.exchange);
  const answer = (given: GivenAnswer) => takeAnswer(deps, given);
  const codeFlow = <K extends 'github' | 'oidc'>(kind: K) => ({
    begin: begin(kind),
    callback: ({ query, exchange }: { query: Answer; exchange: Exchange }) =>
      answer({ kind, name: undefined, fields: query, state: query.state, exchange }),
    callbackOf: ({ params, query, exchange }: { params: { name: string }; query: Answer; exchange: Exchange }) =>
      answer({ kind, name: params.name, fields: query, state: query.state, exchange }),
  });
  return {
    githubFlow: {
      ...codeFlow('github'),
      async loginConsole() {
        throw new AppError(
          'not_available',
          'credentials are not given to loopback addresses: sign a command line in with `gatehouse login`',
        );
      },
    },
    oidcFlow: {
      ...codeFlow('oidc'),
      async backchannel({ params: { name }, body }) {
        await endByLogoutToken(deps, name, body.logout_token);
        return undefined;
      },
    },
    samlFlow: {
      begin: begin('saml'),
      acs: ({ body, exchange }) =>
        answer({ kind: 'saml', name: undefined, fields: body, state: body.RelayState, exchange }),
      acsOf: ({ params: { name }, body, exchange }) =>
        answer({ kind: 'saml', name, fields: body, state: body.RelayState, exchange }),
      async metadata({ params: { name } }) {
        const stored = await findConnector(deps.db, name);
        // One that is off is as unknown as one that is not there: anybody may ask.
        if (stored?.kind !== 'saml' || !stored.enabled) throw notFound('connector', name);
        const connector = openConnector(deps, stored) as OpenConnector<'saml'>;
        return serviceMetadata(connector, deps.provider.publicOrigin());
      },
    },
    ssoFlow: {
      go: ({ params: { code }, exchange }) => openTest(deps, code, exchange),
      finish: ({ params: { code }, exchange }) => finishFlow(deps, code, exchange),
    },
  };
}

interface BeginQuery {
  connector_id: string;
  fresh?: 'yes' | undefined;
  redirect_url?: string | undefined;
}
interface Answer extends Record<string, unknown> {
  state?: string | undefined;
}

async function beginSignIn(
  deps: ConnectorDeps,
  kind: ConnectorKind,
  { connector_id: name, fresh, redirect_url }: BeginQuery,
  exchange: Exchange,
): Promise<PageReply> {
  const stored = await findConnector(deps.db, name);
  try {
    if (stored?.kind !== kind || !stored.enabled)
      throw new ProviderError('settings', `there is no ${kind} connector '${name.slice(0, 128)}' that is switched on`, {
        failure: 'generic',
      });
    const connector = openConnector(deps, stored);
    const { url } = await beginAttempt(deps, {
      connector,
      revision: stored.revision,
      purpose: 'browser',
      path: redirectTarget(redirect_url),
      isFresh: fresh === 'yes',
      address: exchange.address,
      browserHash: rememberBrowser(exchange),
    });
    return { redirect: url };
  } catch (error) {
    const failed = { kind, connector: name.slice(0, 128), revision: stored?.revision, error, exchange };
    return { redirect: await failAttempt(deps, failed) };
  }
}
