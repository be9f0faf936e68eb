/** What is asked of a mapping before it is saved: whether it can be read, and what it could give. */
import type { TraitMapping } from '@gatehouse/contract/identity/connectors/connector-document';
import { PatternError } from '../../../access/match/pattern.ts';
import type { MappingEntry } from '../providers/provider.ts';
import { compileValue, MappingError, usesGroups } from './value-match.ts';

export interface EntryRoles {
  /** What each entry gives by name. */
  roles: string[][];
  /** Those that the provider's words make up, as `team-$1`: only who may edit all roles may write them. */
  composed: string[];
}

export function givenByEntries(entries: readonly MappingEntry[]): EntryRoles {
  const composed = entries.filter(({ exact }) => !exact).flatMap((entry) => entry.roles.filter(usesGroups));
  const isNamed = ({ exact }: MappingEntry, role: string) => exact || !usesGroups(role);
  const roles = entries.map((entry) => entry.roles.filter((role) => isNamed(entry, role)));
  return { roles, composed: [...new Set(composed)].sort() };
}

export interface WrongEntry {
  /** As in `ProviderRow.check`. */
  path: readonly PropertyKey[];
  message: string;
}

export function wrongWithMapping(
  entries: readonly MappingEntry[],
  traits: readonly TraitMapping[] | undefined,
): WrongEntry[] {
  return [
    ...entries.flatMap(({ path, value, roles, exact }) =>
      wrongValue(['spec', ...placeOf(path), 'value'], value, roles, exact),
    ),
    ...(traits ?? []).flatMap(({ value = '*', to, as }, index) => [
      ...wrongValue(['spec', 'traits', index, 'value'], value, as === undefined ? [] : [as]),
      ...(to.startsWith('internal.') && to.length > 'internal.'.length
        ? [
            {
              path: ['spec', 'traits', index, 'to'],
              message: `is the name of the trait alone: '${to.slice('internal.'.length)}'`,
            },
          ]
        : []),
    ]),
  ];
}

function wrongValue(
  path: readonly PropertyKey[],
  value: string,
  texts: readonly string[],
  isExact = false,
): WrongEntry[] {
  try {
    compileValue(value, texts, isExact);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError || error instanceof MappingError)) throw error;
    return [{ path, message: error.message }];
  }
}

/** `claims_to_roles[2]` → `claims_to_roles`, 2. */
export function placeOf(path: string): PropertyKey[] {
  const [, list = path, index] = /^(\w+)\[(\d+)\]$/.exec(path) ?? [];
  return index === undefined ? [list] : [list, Number(index)];
}
