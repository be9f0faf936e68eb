/** Keys of pages: where the next one begins, in a form that callers hand back as they got it. What they hand back is read as if anybody had written it. */
import type { z } from 'zod';
import { AppError } from './app-error.ts';

export function writePageKey(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Throws for what no page has given out; `called` is what the caller knows the key as. */
export function readPageKey<Shape extends z.ZodType>(shape: Shape, key: string, called = 'start key'): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(Buffer.from(key, 'base64url').toString('utf8')));
  } catch (cause) {
    throw new AppError('bad_request', `the ${called} is not one that was given out`, { cause });
  }
}
