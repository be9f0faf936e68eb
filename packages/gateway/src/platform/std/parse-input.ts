/** Checks what came from outside against a schema; the error names the field that is wrong. */
import type { z } from 'zod';
import { AppError } from './app-error.ts';

/** A schema that fails on our own data (a reply, a stored row) is our bug: use `schema.parse` there, not this. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.');
  // A key of a record has its own words inside.
  const { message = 'is not valid' } = (issue?.code === 'invalid_key' ? issue.issues[0] : issue) ?? {};
  throw new AppError('bad_request', `${field ? `${where} '${field}'` : where}: ${lowerFirst(message)}`);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
