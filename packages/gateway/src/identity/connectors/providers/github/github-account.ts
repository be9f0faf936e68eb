/** Who a token is for, with the claims that mappings read. */
import { z } from 'zod';
import type { Claims, ConnectorFacts, OpenConnector, ProviderDeps } from '../provider.ts';
import { apiOf } from './github-addresses.ts';
import { askApi } from './github-ask.ts';
import { factsWith, knownIds, organizationsIn, siftTeams } from './github-organizations.ts';
import { lookUpOrganizations, readTeams, type Team } from './github-teams.ts';

const text = z
  .string()
  .max(1024)
  .nullish()
  .transform((given) => given ?? undefined);

const account = z.object({
  id: z.number().int().positive(),
  login: z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/),
  name: text,
  email: text,
});
type Account = z.output<typeof account>;

export interface GithubPerson {
  id: number;
  login: string;
  claims: Claims;
  notes: readonly string[];
  facts: ConnectorFacts;
}

/** `learns`: looks up organisations whose ids are not known yet. Thousands of rechecks would ask for them in vain. */
export async function readPerson(
  deps: ProviderDeps,
  { document: { spec }, facts }: OpenConnector<'github'>,
  { token, learns }: { token: string; learns: boolean },
): Promise<GithubPerson> {
  const api = apiOf(spec);
  const { body } = await askApi(deps, token, { step: 'identity', url: `${api}/user`, schema: account });
  const shown = await readTeams(deps, api, token);
  const meant = organizationsIn(spec);
  const known = knownIds(spec, facts);
  const unknown = meant.filter((name) => !known.has(name));
  const found = await lookUpOrganizations(deps, { api, token, names: learns ? unknown : [] });
  const { teams, notes } = siftTeams(shown, meant, new Map([...found, ...known]));
  return {
    id: body.id,
    login: body.login,
    claims: claimsOf(body, teams),
    notes,
    facts: factsWith(meant, known, found),
  };
}

function claimsOf({ id, login, name, email }: Account, teams: readonly Team[]): Claims {
  const once = (values: readonly string[]) => [...new Set(values)].sort();
  const pairs: [string, string[]][] = [
    ['login', [login]],
    ['id', [String(id)]],
    ['teams', once(teams.map(({ organization, slug }) => `${organization}/${slug}`))],
    ['organizations', once(teams.map(({ organization }) => organization))],
    ['email', email ? [email] : []],
    ['name', name ? [name] : []],
  ];
  return new Map(pairs.filter(([, values]) => values.length > 0));
}
