/** What roles of a root mean here. */
import type { RoleMap, RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { PatternError } from '../../../access/match/pattern.ts';
import { compileValue, MappingError, usesGroups } from '../../connectors/mapping/value-match.ts';

/** Local roles that exist, once each; empty: no entry. */
export type MapRoles = (remote: readonly string[], exists: (role: string) => boolean) => string[];

/** Reading one takes up to some milliseconds, during which nothing else runs. */
const MAX_EXPRESSIONS = 100;

/** Of a map that was accepted. */
export function compileRoleMap(map: RoleMap): MapRoles {
  const entries = map.map(({ remote, local }) => compileValue(remote, local));
  return (remote, exists) => {
    const given = new Set<string>();
    for (const { write } of entries)
      for (const role of remote) for (const local of write(role) ?? []) if (exists(local)) given.add(local);
    return [...given].sort();
  };
}

export interface WrongPart {
  /** From the map on. */
  path: readonly PropertyKey[];
  message: string;
}

/** Everything that keeps a map from being saved. */
export function wrongWithMap(map: RoleMap, exists: (role: string) => boolean): WrongPart[] {
  if (map.filter(({ remote }) => remote.startsWith('^')).length > MAX_EXPRESSIONS)
    return [{ path: [], message: `holds too many regular expressions: at most ${MAX_EXPRESSIONS}` }];
  return map.flatMap((entry, index) => [
    ...wrongWithPattern(entry).map((message) => ({ path: [index, 'remote'], message })),
    ...entry.local.flatMap((role, place) =>
      usesGroups(role) || exists(role)
        ? []
        : [{ path: [index, 'local', place], message: `names the role '${role}', which is not there` }],
    ),
  ]);
}

function wrongWithPattern({ remote, local }: RoleMapEntry): string[] {
  // As a name it would never match, and say nothing about it.
  if (remote.startsWith('^') !== remote.endsWith('$')) return ['is an expression only between ^ and $, as ^team-(.*)$'];
  try {
    compileValue(remote, local);
    return [];
  } catch (error) {
    if (error instanceof PatternError || error instanceof MappingError) return [error.message];
    throw error;
  }
}

/** What a map can give: lists that come together, and names that the root's words make up. */
export function givenByMap(map: RoleMap): { roles: string[][]; composed: string[] } {
  return {
    roles: map.map(({ local }) => local.filter((role) => !usesGroups(role))),
    composed: [...new Set(map.flatMap(({ local }) => local.filter(usesGroups)))].sort(),
  };
}
