/** The teams somebody is in, all pages of them, and which organisations really are those that the connector means. */
import { z } from 'zod';
import type { ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { type ApiAnswer, askApi } from './github-ask.ts';

const id = z.number().int().positive();
const name = z.string().min(1).max(256);
const teamPage = z.array(z.object({ slug: name, organization: z.object({ login: name, id }) })).max(1_000);
const organization = z.object({ login: name, id });

export interface Team {
  /** Both in lower case: GitHub tells no case apart. */
  organization: string;
  slug: string;
  organizationId: number;
}

export interface Teams {
  teams: readonly Team[];
  /** Ids of organisations whose teams GitHub left out, until Gatehouse is authorised for them. */
  left: ReadonlySet<number>;
  /** Whether there were more pages than are read. */
  isCut: boolean;
}

const PER_PAGE = 100;
const MAX_PAGES = 50;
/** Of all pages together: a hostile server takes its time for each. */
const ALL_PAGES_MS = 20_000;
/** So many organisations are looked up in one sign-in. */
const MAX_LOOKED_UP = 20;

export async function readTeams(deps: ProviderDeps, api: string, token: string): Promise<Teams> {
  const teams: Team[] = [];
  const left = new Set<number>();
  const signal = AbortSignal.timeout(ALL_PAGES_MS);
  let url: string | undefined = `${api}/user/teams?per_page=${PER_PAGE}`;
  for (let page = 0; url !== undefined && page < MAX_PAGES; page++) {
    const asked: ApiAnswer<z.output<typeof teamPage>> = await askApi(deps, token, {
      step: 'identity',
      url,
      schema: teamPage,
      request: { signal },
    });
    for (const {
      slug,
      organization: { login, id: organizationId },
    } of asked.body)
      teams.push({ organization: login.toLowerCase(), slug: slug.toLowerCase(), organizationId });
    for (const each of leftOut(asked.headers)) left.add(each);
    url = nextPage(asked.headers.get('link'), api);
  }
  return { teams, left, isCut: url !== undefined };
}

/** What an organisation of this name is: learnt once, and held to afterwards. Nothing when it is not shown. */
export async function lookUpOrganizations(
  deps: ProviderDeps,
  { api, token, names }: { api: string; token: string; names: readonly string[] },
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const signal = AbortSignal.timeout(ALL_PAGES_MS);
  for (const each of names.slice(0, MAX_LOOKED_UP)) {
    try {
      const url = `${api}/orgs/${encodeURIComponent(each)}`;
      const { body } = await askApi(deps, token, { step: 'identity', url, schema: organization, request: { signal } });
      if (body.login.toLowerCase() === each) found.set(each, body.id);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      deps.log.debug({ err: error, organization: each }, 'the id of an organisation could not be learnt');
    }
  }
  return found;
}

/** The address of the next page. On the API's own host, or it is refused: the token goes with it. */
export function nextPage(link: string | null, api: string): string | undefined {
  const links = [...(link ?? '').matchAll(/<([^<>]{1,2048})>([^<]*)/g)];
  const next = links.find(([, , parameters = '']) => /;\s*rel\s*=\s*"?next\b/i.test(parameters))?.[1];
  if (next === undefined) return undefined;
  const base = new URL(api);
  const isOurs = URL.canParse(next) && new URL(next).origin === base.origin;
  if (!isOurs || !new URL(next).pathname.startsWith(base.pathname.replace(/\/?$/, '/')))
    throw new ProviderError('identity', 'GitHub leads to a page of teams on another host: it is not followed');
  return new URL(next).href;
}

/** `X-GitHub-SSO: partial-results; organizations=21955855,20582480`. */
export function leftOut(headers: Headers): number[] {
  const given = headers.get('x-github-sso') ?? '';
  const [, ids = ''] = /^\s*partial-results\s*;\s*organizations\s*=\s*([\d,\s]{1,4096})$/.exec(given) ?? [];
  return ids
    .split(',')
    .map((each) => Number(each.trim()))
    .filter((each) => Number.isSafeInteger(each) && each > 0);
}
