/** What a search of the log can be narrowed by. The search, its counts and the live tail take the same fields. */
import { z } from 'zod';

/** As specified; a page holds at most this many events. */
export const MAX_EVENTS = 5_000;
export const DEFAULT_EVENTS = 500;
export const MAX_SEARCH_CHARACTERS = 1_024;

const SEVERITIES = ['info', 'warning', 'error'] as const;

/** Reference clients write names with empty values when unused: empty means absent. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .optional()
    .transform((given) => given || undefined);

/** A comma list; empty means that everything is meant. */
const names = (maxNames: number) =>
  text(16_384).transform((given, context) => {
    const found = (given ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (found.length <= maxNames) return found;
    context.addIssue({ code: 'custom', message: `names at most ${maxNames}, separated by commas` });
    return z.NEVER;
  });

/** RFC 3339, as milliseconds since 1970. */
const time = text(64).transform((given, context) => {
  if (given === undefined) return undefined;
  const parsed = /^\d{4}-\d\d-\d\dT/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(parsed)) return parsed;
  context.addIssue({
    code: 'custom',
    message: `must be a time like 2026-01-31T12:00:00Z, not '${given.slice(0, 40)}'`,
  });
  return z.NEVER;
});

export const count = (standard: number, most: number) =>
  text(16).transform((given, context) => {
    if (given === undefined) return standard;
    const number = Number(given);
    if (Number.isInteger(number) && number > 0) return Math.min(number, most);
    context.addIssue({ code: 'custom', message: `must be a whole number above 0, not '${given}'` });
    return z.NEVER;
  });

/** All that are given must hold; of a list, one. */
export const eventFilter = {
  /** Event names of the wire. */
  include: names(200),
  code: names(200),
  severity: names(3).pipe(z.array(z.enum(SEVERITIES, 'must be info, warning or error'))),
  /** The whole name, as all that follow but the last. */
  user: text(512),
  /** What the event is about: `user`, `role`, `node`, … and its name. */
  resourceKind: text(64),
  resourceName: text(512),
  session: text(128),
  address: text(256),
  /** The sign-in it was done under. */
  signIn: text(128),
  /** The call that caused it: the id its answer carried. */
  requestId: text(128),
  /** Words anywhere in the event, all of which must be there. `kube*` stands for words that begin so. */
  search: text(MAX_SEARCH_CHARACTERS),
} as const;

/** Unset, a month until now. */
export const eventRange = { from: time, to: time } as const;

export const eventSearchQuery = z.object({
  ...eventRange,
  ...eventFilter,
  limit: count(DEFAULT_EVENTS, MAX_EVENTS),
  startKey: text(512),
  order: z
    .enum(['asc', 'desc', ''])
    .optional()
    .transform((given) => given || 'desc'),
  /** Adds to every event its place in the chain, which offline checking needs. */
  proof: z
    .enum(['yes', ''])
    .optional()
    .transform((given) => given === 'yes'),
});
export type EventSearchQuery = z.output<typeof eventSearchQuery>;

export const sessionSearchQuery = eventSearchQuery.pick({
  from: true,
  to: true,
  limit: true,
  startKey: true,
  order: true,
});

export const MAX_BUCKETS = 240;

export const eventCountsQuery = z.object({ ...eventRange, ...eventFilter, buckets: count(60, MAX_BUCKETS) });
export type EventCountsQuery = z.output<typeof eventCountsQuery>;

/** Below the half minute after which proxies and clients give up. */
export const MAX_WAIT_SECONDS = 20;

export const eventTailQuery = z.object({
  ...eventFilter,
  /** From the last answer. Without it the answer is empty and says where the log ends now. */
  after: text(4_096),
  limit: count(DEFAULT_EVENTS, MAX_EVENTS),
  /** How long the gateway may hold the answer back while nothing happens. */
  waitSeconds: z
    .string()
    .regex(/^\d{0,2}$/, 'must be a whole number')
    .optional()
    .transform((given) => Math.min(Number(given ?? ''), MAX_WAIT_SECONDS)),
});
export type EventTailQuery = z.output<typeof eventTailQuery>;

export const eventVerifyQuery = z.object({ ...eventRange, startKey: text(512) });
export type EventVerifyQuery = z.output<typeof eventVerifyQuery>;
