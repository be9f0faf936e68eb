/** Signing in through a provider: pages a browser passes through, not calls of the console. */
import { z } from 'zod';
import { defineRoutes, type Routes } from '../../wire/route.ts';

/** Everything after `redirect_url=` belongs to it in the reference; only its path is ever followed. */
const begin = z.looseObject({
  connector_id: z.string().min(1).max(128),
  /** The provider must ask them to sign in again, and say when they did. */
  fresh: z.literal('yes').optional(),
  redirect_url: z.string().max(4096).optional(),
});

/** What a provider sends with the browser. Bounded, and otherwise hostile. */
const answer = z.looseObject({
  code: z.string().max(8192).optional(),
  state: z.string().max(1024).optional(),
  iss: z.string().max(2048).optional(),
  error: z.string().max(512).optional(),
  error_description: z.string().max(2048).optional(),
});
export type ProviderAnswer = z.output<typeof answer>;

const page = { auth: 'public', limited: 'failures', reply: z.string(), replyAs: 'page' } as const;

function codeFlow<const K extends 'github' | 'oidc'>(kind: K, name: string) {
  return {
    begin: {
      ...page,
      limited: 'often',
      method: 'GET',
      path: `/v1/webapi/${kind}/login/web`,
      summary: `Sends a browser to the provider of a ${name} connector.`,
      query: begin,
    },
    callback: {
      ...page,
      method: 'GET',
      path: `/v1/webapi/${kind}/callback`,
      summary: `Takes the answer of a provider of a ${name} connector.`,
      query: answer,
    },
    callbackOf: {
      ...page,
      method: 'GET',
      path: `/v1/webapi/${kind}/callback/:name`,
      summary: `The same, at an address that names the connector: no other one's answer is taken there.`,
      query: answer,
    },
  } as const satisfies Routes;
}

const samlAnswer = z.looseObject({
  SAMLResponse: z.string().max(512 * 1024),
  RelayState: z.string().max(1024).optional(),
});

export const githubFlowRoutes = defineRoutes({
  ...codeFlow('github', 'GitHub'),
  loginConsole: {
    method: 'POST',
    path: '/v1/webapi/github/login/console',
    summary:
      'Not offered: credentials in loopback addresses can be robbed. Command lines sign in by `gatehouse login`.',
    auth: 'public',
    limited: true,
    reply: z.object({ redirect_url: z.string() }),
  },
});
export const oidcFlowRoutes = defineRoutes({
  ...codeFlow('oidc', 'OIDC'),
  backchannel: {
    method: 'POST',
    path: '/v1/webapi/oidc/backchannel/:name',
    summary: 'A provider says that somebody has signed out there (OpenID Connect back-channel logout).',
    auth: 'public',
    limited: 'unproven',
    csrf: 'provider',
    bodyAs: 'form',
    maxBody: 32 * 1024,
    body: z.looseObject({
      logout_token: z
        .string()
        .min(1)
        .max(16 * 1024),
    }),
    reply: undefined,
  },
});
export const samlFlowRoutes = defineRoutes({
  begin: {
    ...page,
    limited: 'often',
    method: 'GET',
    path: '/v1/webapi/saml/sso',
    summary: 'Sends a browser to the provider of a SAML connector.',
    query: begin,
  },
  acs: {
    ...page,
    method: 'POST',
    path: '/v1/webapi/saml/acs',
    summary: 'Takes the answer of a SAML provider.',
    csrf: 'provider',
    bodyAs: 'form',
    body: samlAnswer,
  },
  acsOf: {
    ...page,
    method: 'POST',
    path: '/v1/webapi/saml/acs/:name',
    summary: `The same, at an address that names the connector: no other one's answer is taken there.`,
    csrf: 'provider',
    bodyAs: 'form',
    body: samlAnswer,
  },
  metadata: {
    method: 'GET',
    path: '/v1/webapi/saml/metadata/:name',
    summary: 'What a SAML provider must know of this gateway, as XML.',
    auth: 'public',
    limited: 'often',
    reply: z.string(),
    replyAs: 'xml',
  },
});
export const ssoFlowRoutes = defineRoutes({
  go: {
    ...page,
    method: 'GET',
    path: '/v1/webapi/sso/go/:code',
    summary: 'Opens the test of a connector: whoever opens it first is the browser that is tried.',
  },
  finish: {
    ...page,
    method: 'GET',
    path: '/v1/webapi/sso/finish/:code',
    summary: 'Ends a sign-in through a provider: the browser that began it gets its session cookie.',
  },
});
