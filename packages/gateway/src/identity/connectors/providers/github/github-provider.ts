/** Sign-in through GitHub: three calls with a token, an account by its number, and teams. */
import type { GithubDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { z } from 'zod';
import { sameText } from '../../../../platform/crypto/tokens.ts';
import type { MappingEntry, ProviderRow } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { fetchFor } from '../provider-fetch.ts';
import { readPerson } from './github-account.ts';
import { apiOf, endpointOf, leavesPublic } from './github-addresses.ts';
import { quoted, TokenRefused } from './github-ask.ts';
import { requireAnswer } from './github-presence.ts';
import { createVerifier, exchangeCode, renew, SCOPE } from './github-token.ts';

/** What a recheck asks with. */
const keptToken = z.object({
  id: z.number(),
  access: z.string(),
  refresh: z.string().optional(),
  expires: z.number().optional(),
});

const CALLBACK = '/v1/webapi/github/callback';
const SLUG = /^[a-z0-9_-]+$/;
const ORGANIZATION = /^[A-Za-z0-9](?:[A-Za-z0-9_-]*)$/;

type Named = Parameters<ProviderRow<'github'>['callbackOf']>[0];

export const githubProvider: ProviderRow<'github'> = {
  issuerOf: ({ spec }) => endpointOf(spec),
  voiceOf: (connector, origin) => [
    apiOf(connector.document.spec),
    connector.document.spec.client_id,
    callbackOf(connector, origin),
  ],
  check: ({ spec, metadata }) => [
    ...spec.teams_to_roles.flatMap(wrongTeam),
    ...(leavesPublic(spec)
      ? [
          {
            path: ['spec', 'api_endpoint_url'],
            message: 'needs endpoint_url beside it: tokens of github.com would be sent there',
          },
        ]
      : []),
    ...wrongCallback({ spec, metadata }),
  ],
  entries: ({ spec }) =>
    spec.teams_to_roles.map(
      ({ organization, team, roles }, index): MappingEntry => ({
        path: `teams_to_roles[${index}]`,
        claim: 'teams',
        value: `${organization}/${team}`.toLowerCase(),
        exact: true,
        roles,
      }),
    ),
  enter: (connector, origin) => [{ what: 'callback', value: callbackOf(connector, origin) }],
  addressFields: ['endpoint_url', 'api_endpoint_url'],
  callbackField: 'redirect_url',
  callbackOf,
  async begin(deps, connector, { state, callback, asksWho, isFresh, isSparing }) {
    const { spec } = connector.document;
    if (isFresh)
      throw new ProviderError(
        'identity',
        'GitHub does not say when somebody signed in there: it proves nothing of now',
        {
          advice: 'GitHub cannot prove that you have just signed in there: sign in as usual.',
        },
      );
    await requireAnswer(deps, connector, { isSparing });
    const { verifier, challenge } = createVerifier();
    const url = new URL(`${endpointOf(spec)}/login/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: spec.client_id,
      redirect_uri: callback,
      scope: SCOPE,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      allow_signup: 'false',
      ...(asksWho ? { prompt: 'select_account' } : {}),
    }).toString();
    return { url: url.href, kept: { verifier }, discovery: `signs in at ${endpointOf(spec)}, asks ${apiOf(spec)}` };
  },
  async answer(given, connector, { fields, callback, state, kept }) {
    const deps = { ...given, fetch: fetchFor(given.fetch, connector) };
    const code = codeIn(fields, state);
    const { verifier } = kept;
    if (verifier === undefined) throw new ProviderError('redirect', 'the answer belongs to no sign-in that began here');
    const token = await exchangeCode(deps, connector, { code, callback, verifier });
    const { id, login, claims, notes, facts } = await readPerson(deps, connector, {
      token: token.access,
      learns: true,
    });
    return {
      issuer: endpointOf(connector.document.spec),
      subject: String(id),
      username: login.toLowerCase(),
      claims,
      // GitHub tells at most whether an account has a second factor, and never that one was used now.
      mfa: false,
      tokens: JSON.stringify({ id, ...token }),
      notes,
      facts,
    };
  },
  async recheck(given, connector, tokens) {
    const deps = { ...given, fetch: fetchFor(given.fetch, connector) };
    const { id, ...held } = keptToken.parse(JSON.parse(tokens));
    const token = await renew(deps, connector, held);
    if (!token) return { state: 'gone', why: 'GitHub does not renew the token any more' };
    const renewed = token === held ? undefined : JSON.stringify({ id, ...token });
    try {
      const person = await readPerson(deps, connector, { token: token.access, learns: false });
      if (person.id !== id) return { state: 'gone', why: 'the token is for another account' };
      return { state: 'confirmed', claims: person.claims, notes: person.notes, tokens: renewed };
    } catch (error) {
      if (error instanceof TokenRefused) return { state: 'gone', why: error.message };
      // What was asked with is used up: without the new one, the next recheck would take them for gone.
      if (error instanceof ProviderError && renewed !== undefined)
        return { state: 'unanswered', why: error.message, isTrouble: error.isTrouble, tokens: renewed };
      throw error;
    }
  },
};

function callbackOf({ name, document: { spec } }: Named, origin: string): string {
  return spec.redirect_url ?? `${origin}${CALLBACK}/${encodeURIComponent(name)}`;
}

function codeIn(
  { code, state: given, error, error_description: description }: Readonly<Record<string, unknown>>,
  state: string,
): string {
  if (typeof given !== 'string' || !sameText(given, state))
    throw new ProviderError('redirect', 'the answer belongs to another sign-in');
  if (error === 'access_denied') throw new ProviderError('redirect', 'the sign-in was refused at GitHub');
  if (error !== undefined)
    throw new ProviderError('redirect', `GitHub refuses: ${quoted(String(description ?? error))}`);
  if (typeof code !== 'string' || !/^[\x21-\x7e]{1,1024}$/.test(code))
    throw new ProviderError('redirect', 'the answer brings no code');
  return code;
}

function wrongTeam({ organization, team }: GithubDocument['spec']['teams_to_roles'][number], index: number) {
  const at = (field: string) => ['spec', 'teams_to_roles', index, field];
  const wrong = [];
  if (!ORGANIZATION.test(organization))
    wrong.push({
      path: at('organization'),
      message: `${quoted(organization)} is no name of an organisation as it stands in its address`,
    });
  if (!SLUG.test(team)) {
    const slug = slugOf(team);
    wrong.push({
      path: at('team'),
      message: `${quoted(team)} is no slug${slug === '' ? '' : `; did you mean '${slug}'?`}`,
    });
  }
  return wrong;
}

/** GitHub would send people to a place where nothing of ours listens. */
function wrongCallback({ spec, metadata }: Pick<GithubDocument, 'spec' | 'metadata'>) {
  const own = `${CALLBACK}/${encodeURIComponent(metadata.name)}`;
  const { pathname = own, search = '' } = spec.redirect_url === undefined ? {} : new URL(spec.redirect_url);
  if (search === '' && [CALLBACK, own].includes(pathname)) return [];
  return [{ path: ['spec', 'redirect_url'], message: `must end in ${own}, or be left out` }];
}

/** As GitHub makes one of the name of a team. */
function slugOf(team: string): string {
  return team
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
