/**
 * A log that an outage does not flood: what many loops meet again and again while the store, a bucket or a sink is away is
 * told once, without a stack, and then once a minute with how often it was. Nothing else is touched.
 */

import { AppError } from '../std/app-error.ts';
import { BoundedMap } from '../std/bounded-map.ts';
import type { Log } from '../std/log.ts';
import { toldError } from '../std/told-error.ts';
import { isDiskFull, isNetworkDown, isStoreDown } from '../storage/errors.ts';

const AGAIN_MS = 60_000;
const MAX_MESSAGES = 1_000;

interface RepeatedLine {
  at: number;
  /** Since then. */
  times: number;
}

export function calmLog<L extends Pick<Log, 'warn' | 'error'>>(log: L, now: () => number): L {
  const told = new BoundedMap<string, RepeatedLine>(MAX_MESSAGES);
  const calm = Object.create(log) as L;
  for (const level of ['warn', 'error'] as const) {
    calm[level] = ((fields: object, message: string, ...more: unknown[]) => {
      const error = 'error' in fields ? fields.error : undefined;
      const write = log[level].bind(log) as (...args: unknown[]) => void;
      if (!isOutage(error)) return write(fields, message, ...more);
      const before = told.get(message);
      if (before && now() - before.at < AGAIN_MS) {
        before.times += 1;
        return;
      }
      const times = before && before.times > 0 ? { times: before.times + 1 } : {};
      told.delete(message);
      told.set(message, { at: now(), times: 0 });
      write({ ...fields, error: undefined, reason: toldError(error), ...times }, message, ...more);
    }) as L[typeof level];
  }
  return calm;
}

/** Nobody's mistake here, and nothing a stack would help with. */
function isOutage(error: unknown): boolean {
  if (isStoreDown(error) || isDiskFull(error) || isNetworkDown(error)) return true;
  // What was already put into words for people, such as a bucket that is away.
  return error instanceof AppError && error.code === 'unavailable';
}
