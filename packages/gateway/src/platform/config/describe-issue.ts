/** Turns a schema's complaint into a sentence for the person who wrote the value. */
import type { z } from 'zod';

const EXPECTED: Record<string, string> = {
  boolean: 'must be true or false',
  number: 'must be a number',
  int: 'must be a whole number',
  string: 'must be text',
  array: 'must be a list',
  object: 'must hold keys of its own',
};

/** `given` is shown so that the reader recognises it; it must be left out for secrets. */
export function describeIssue(issue: z.core.$ZodIssue, given?: unknown): string {
  const sentence = sentenceFor(issue);
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
    ? `${sentence} (it is ${JSON.stringify(given).slice(0, 120)})`
    : sentence;
}

function sentenceFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return EXPECTED[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? issue.minimum === 1
          ? 'must not be empty'
          : `must have at least ${issue.minimum} characters`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}
