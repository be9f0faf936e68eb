/** Turns a schema's complaints about a document into sentences with a place and the name that was probably meant. */

import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { z } from 'zod';
import type { LocatedDocument, Path } from './locate.ts';
import type { DocumentIssue } from './role-document-error.ts';

const MAX_ISSUES = 20;

const EXPECTED: Readonly<Record<string, string>> = {
  boolean: 'must be true or false',
  number: 'must be a number',
  int: 'must be a whole number',
  string: 'must be text; put it in quotes',
  array: 'must be a list',
  object: 'must hold fields of its own',
  record: 'must be a map of names to values',
};

export function describeIssues(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  located: LocatedDocument,
): DocumentIssue[] {
  return issues.slice(0, MAX_ISSUES).flatMap((issue): DocumentIssue[] => {
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path);
      // Each is looked for in the text: one issue may be about thousands.
      return issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => located.issueAt([...issue.path, key], 'key', `is not a field here${meant(key, known)}`));
    }
    const given = valueAt(located.value, issue.path);
    if (given === undefined && issue.path.length > 0) return [located.issueAt(issue.path, 'key', 'is missing')];
    return [located.issueAt(issue.path, issue.code === 'invalid_key' ? 'key' : 'value', sentence(issue, given))];
  });
}

function sentence(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return EXPECTED[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value': {
      const known = issue.values.map(String);
      const shown = typeof given === 'string' || typeof given === 'number' ? ` '${String(given).slice(0, 80)}'` : '';
      if (known.length > 12) return `is${shown}, which is not known${meant(String(given), known)}`;
      const close = didYouMean(String(given), known);
      return `is${shown} but must be one of ${known.filter(Boolean).join(', ')}${close ? `; did you mean '${close}'?` : ''}`;
    }
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : `is too long: at most ${issue.maximum}`;
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not valid'}`;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

function meant(given: string, known: readonly string[]): string {
  const close = didYouMean(given, known);
  if (close) return `; did you mean '${close}'?`;
  return known.length > 0 && known.length <= 12 ? `; there is ${known.join(', ')}` : '';
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const step of path) {
    // A single text that stands for a list of one is at the place of the list.
    if (typeof here === 'string') return here;
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<PropertyKey, unknown>)[step];
  }
  return here;
}

/** The fields a schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const def = schema._zod.def as z.core.$ZodTypeDef & Record<string, unknown>;
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
      return keysAt(def.innerType as z.core.$ZodType, path);
    case 'pipe':
      return keysAt(def.out as z.core.$ZodType, path);
    case 'array':
      return keysAt(def.element as z.core.$ZodType, path.slice(1));
    case 'record':
      return path.length === 0 ? [] : keysAt(def.valueType as z.core.$ZodType, path.slice(1));
    case 'object': {
      const shape = def.shape as Record<string, z.core.$ZodType>;
      if (path.length === 0) return Object.keys(shape);
      const next = shape[String(path[0])];
      return next ? keysAt(next, path.slice(1)) : [];
    }
    default:
      return [];
  }
}
