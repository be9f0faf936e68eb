/** What `value` of a mapping matches, and what its groups put into a role or a trait. */
import { compileExpression, parsePattern } from '../../../access/match/pattern.ts';
import { needleOfExpression, needleOfStars } from './needle.ts';

/** A longer value matches nothing: an expression reads all of it, once for each entry. */
export const MAX_VALUE_CHARACTERS = 1024;

const GROUP = /\$(?:(\d{1,2})|\{(\d{1,2})\})/g;

/** Writes `texts` with the groups of a value filled in; nothing when the value does not match. */
export type WriteValue = (value: string) => readonly string[] | undefined;

export interface ValueMatch {
  /** When there is only one value it matches; patterns have none. */
  literal?: string;
  /** Stands in every value it matches. Empty: any may match. */
  needle: string;
  /** Whether what is written depends on the value: when not, one that matches is as good as all. */
  usesGroups: boolean;
  write: WriteValue;
}

export class MappingError extends Error {
  override name = 'MappingError';
}

/** Throws `PatternError` or `MappingError`, whose words go on after the name of the field. */
export function compileValue(value: string, texts: readonly string[], isExact = false): ValueMatch {
  const groups = isExact ? [] : texts.flatMap(groupsIn);
  if (!isExact && isExpression(value)) return expressionMatch(value, texts, groups);
  if (groups.length > 0)
    throw new MappingError(`has no group for '$${groups[0]}': write it between ^ and $, as ^team-(.*)$`);
  const pattern = isExact ? undefined : parsePattern(value);
  if (!pattern || pattern.type === 'literal') {
    return {
      literal: value,
      needle: value,
      usesGroups: false,
      write: (given) => (given === value ? texts : undefined),
    };
  }
  const needle = needleOfStars(value);
  return { needle, usesGroups: false, write: (given) => (fits(given) && pattern.matches(given) ? texts : undefined) };
}

/** Whether `$1` stands in it, or `${1}`. */
export function usesGroups(text: string): boolean {
  return groupsIn(text).length > 0;
}

function expressionMatch(value: string, texts: readonly string[], groups: readonly number[]): ValueMatch {
  const expression = compileExpression(value);
  const missing = groups.find((group) => group > expression.groupCount());
  if (missing !== undefined) throw new MappingError(`has no group ${missing}`);
  const needle = needleOfExpression(value);
  return {
    needle,
    usesGroups: groups.length > 0,
    write(given) {
      if (!fits(given) || !given.includes(needle) || !expression.testExact(given)) return undefined;
      if (groups.length === 0) return texts;
      const matcher = expression.matcher(given);
      if (!matcher.matches()) return undefined;
      return texts
        .map((text) =>
          text.replaceAll(GROUP, (_, bare?: string, braced?: string) => matcher.group(Number(bare ?? braced)) ?? ''),
        )
        .filter((text) => text !== '');
    },
  };
}

function fits(value: string): boolean {
  return value.length <= MAX_VALUE_CHARACTERS;
}

function isExpression(value: string): boolean {
  return value.startsWith('^') && value.endsWith('$') && value.length > 1;
}

function groupsIn(text: string): number[] {
  return [...text.matchAll(GROUP)].map(([, bare, braced]) => Number(bare ?? braced));
}
