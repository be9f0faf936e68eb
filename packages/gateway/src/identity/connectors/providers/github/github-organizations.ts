/** Which organisations a connector means: by their ids, because the name of one that was renamed is free for others. */
import type { GithubDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { z } from 'zod';
import type { ConnectorFacts } from '../provider.ts';
import { quoted } from './github-ask.ts';
import type { Team, Teams } from './github-teams.ts';

/** In lower case → id. */
export type OrganizationIds = ReadonlyMap<string, number>;

const learnt = z.object({ organization_id: z.record(z.string(), z.number().int()) });

/** So many organisations are told of. */
const MAX_TOLD = 10;

export function organizationsIn({ teams_to_roles }: GithubDocument['spec']): string[] {
  return [...new Set(teams_to_roles.map(({ organization }) => organization.toLowerCase()))];
}

/** What the document says counts more than what was learnt. */
export function knownIds({ organization_id = {} }: GithubDocument['spec'], facts: ConnectorFacts): OrganizationIds {
  const before = learnt.safeParse(facts);
  const pairs = [
    ...Object.entries(before.success ? before.data.organization_id : {}),
    ...Object.entries(organization_id),
  ];
  return new Map(pairs.map(([name, id]) => [name.toLowerCase(), id]));
}

/** As facts of the connector: those of the mapping alone, and never another one for a name that had one. */
export function factsWith(meant: readonly string[], known: OrganizationIds, found: OrganizationIds): ConnectorFacts {
  const pairs = meant.flatMap((name): [string, number][] => {
    const id = known.get(name) ?? found.get(name);
    return id === undefined ? [] : [[name, id]];
  });
  return { organization_id: Object.fromEntries(pairs) };
}

export interface Sifted {
  teams: readonly Team[];
  notes: readonly string[];
}

/** Without teams of an organisation that only has the name of one that is meant. */
export function siftTeams({ teams, left, isCut }: Teams, meant: readonly string[], known: OrganizationIds): Sifted {
  const impostors = new Map<string, number>();
  const kept = teams.filter(({ organization, organizationId }) => {
    const id = known.get(organization);
    if (id === undefined || id === organizationId) return true;
    impostors.set(organization, organizationId);
    return false;
  });
  const shown = new Set(teams.map(({ organization }) => organization));
  const absent = meant.filter((name) => !shown.has(name));
  const showsNone = absent.length === meant.length;
  const hidden = absent.filter((name) => showsNone || isLeftOut(name, left, known));
  return {
    teams: kept,
    notes: [
      ...[...impostors].slice(0, MAX_TOLD).map(([name, id]) => tellImpostor(name, id, known.get(name)!)),
      ...hidden.slice(0, MAX_TOLD).map(tellHidden),
      ...(isCut ? ['GitHub shows more than 5000 teams: the rest was left out'] : []),
    ],
  };
}

function isLeftOut(name: string, left: ReadonlySet<number>, known: OrganizationIds): boolean {
  const id = known.get(name);
  return id === undefined ? left.size > 0 : left.has(id);
}

function tellHidden(name: string): string {
  return `GitHub showed no team of ${quoted(name)}: authorise Gatehouse for it, or let its owner approve the application`;
}

function tellImpostor(name: string, id: number, known: number): string {
  return `the organisation ${quoted(name)} has the id ${id}, and the connector means ${known}: a renamed organisation's name is free for others; if it is the right one, write its id under organization_id`;
}
