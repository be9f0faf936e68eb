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
      ...wrongLogin(['spec', 'traits', index, 'as'], to, as),
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

/** No server has such a login, and whoever writes one into a command of theirs would run something else. */
const NO_LOGIN = /[\s;&|<>`'"()!*?#~]/;

function wrongLogin(path: readonly PropertyKey[], to: string, as: string | undefined): WrongEntry[] {
  const [wrong] = (to === 'logins' && NO_LOGIN.exec(as ?? '')) || [];
  if (wrong === undefined) return [];
  const what = wrong.trim() === '' ? 'a blank' : `'${wrong}'`;
  return [{ path, message: `is no login: it holds ${what}` }];
}

function wrongValue(
  path: readonly PropertyKey[],
  value: string,
  texts: readonly string[],
  isExact = false,
): WrongEntry[] {
  if (value.trim() === '') return [{ path, message: 'is blank, and would match nobody' }];
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
