/** The calls of the audit log: find, count, follow and check events. Export is paging: `csv.ts` and JSON lines over `search`. */
import { z } from 'zod';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';
import {
  eventCountsQuery,
  eventSearchQuery,
  eventTailQuery,
  eventVerifyQuery,
  sessionSearchQuery,
} from './search-query.ts';

/** Anything may be in it: `tellEvent` reads it without trusting it. */
const wireEvent = z.record(z.string(), z.unknown());
export type WireEvent = z.output<typeof wireEvent>;

const eventPage = z.object({
  events: listOf(wireEvent),
  /** Empty when there are no more. */
  startKey: z.string(),
});

/** The most frequent first. */
const counted = z.array(z.object({ value: z.string(), count: z.number().int() }));

export const eventCounts = z.object({
  from: z.string(),
  to: z.string(),
  bucketMs: z.number(),
  /** From `from` on, none left out. */
  buckets: z.array(
    z.object({ time: z.string(), info: z.number().int(), warning: z.number().int(), error: z.number().int() }),
  ),
  total: z.number().int(),
  /** False when there were too many to count all: then only the events since `countedFrom` are in the numbers. */
  complete: z.boolean(),
  countedFrom: z.string(),
  /** By wire name of the event. */
  types: counted,
  users: counted,
  severities: counted,
  /** By the kind of what the event is about. */
  kinds: counted,
});
export type EventCounts = z.output<typeof eventCounts>;

/** Signed over exactly these bytes. */
export const signedCheckpoint = z.object({
  /** JSON: see `checkpoint.ts`. */
  body: z.string().max(1_048_576),
  /** Ed25519, base64. */
  signature: z.string().max(128),
});
export type SignedCheckpoint = z.output<typeof signedCheckpoint>;

const problem = z.object({
  chain: z.string(),
  /** The first place in the chain that is not as it was written. */
  index: z.number().int(),
  reason: z.string(),
});
export type ChainProblem = z.output<typeof problem>;

export const eventVerdict = z.object({
  ok: z.boolean(),
  /** Events looked at by this call. */
  checked: z.number().int(),
  /** The first bad place found, if any. */
  problem: problem.optional(),
  /** Not empty when the range is long: ask again with it until it is, or until a problem shows. */
  startKey: z.string(),
  /** The newest signed checkpoint the events were held against. */
  checkpoint: z.object({ number: z.number().int(), time: z.string() }).optional(),
  /** With the last answer: events behind the last that was looked at, the one that tells of this check among them. */
  newer: z.number().int().optional(),
});
export type EventVerdict = z.output<typeof eventVerdict>;

const auditState = z.object({
  /** Days events are kept; 0 means for ever. */
  retentionDays: z.number().int(),
  strict: z.boolean(),
  /** Events that wait on disk for the store. */
  queued: z.number().int(),
  /** Events the store refused, kept in a file of the gateway. */
  deadLetters: z.number().int(),
  /** Why the log is not signed any more; empty while it is. */
  signing: z.string().optional(),
  /** Why this gateway did not know at its start what it had signed last; empty when it knew. */
  memoryLost: z.string().optional(),
  sinks: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      /** Events not delivered yet. */
      behind: z.number().int(),
      /** What the last attempt said; empty when it went well. */
      error: z.string(),
    }),
  ),
});
export type AuditState = z.output<typeof auditState>;

export const eventRoutes = defineRoutes({
  search: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/events/search',
    summary: 'Events of a time range, newest first unless told.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    query: eventSearchQuery,
    reply: eventPage,
  },
  searchSessions: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/events/search/sessions',
    summary: 'Ends of recorded sessions of a time range.',
    auth: 'signed-in',
    needs: ['recordedSessions', 'list'],
    query: sessionSearchQuery,
    reply: eventPage,
  },
  counts: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/events/facets',
    summary: 'How many events a search finds: over time, and by type, user, severity and kind.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    query: eventCountsQuery,
    reply: eventCounts,
  },
  tail: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/events/tail',
    summary: 'Events as they are written: answers at once when there are some, otherwise waits a while.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    query: eventTailQuery,
    reply: z.object({
      events: listOf(wireEvent),
      /** Where to go on. */
      after: z.string(),
      /** There was more than one answer holds: ask again at once. */
      more: z.boolean(),
    }),
  },
  verify: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/events/verify',
    summary: 'Whether the events of a range are as they were written, held against the signed checkpoints.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    query: eventVerifyQuery,
    reply: eventVerdict,
  },
  key: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/audit/key',
    summary: 'The public key that checkpoints are signed with, and the newest of them.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    reply: z.object({
      /** PEM. */
      publicKey: z.string(),
      /** PEM: those that signed before one was lost. */
      earlierKeys: z.array(z.string()).optional(),
      checkpoint: signedCheckpoint.nullable(),
    }),
  },
  state: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/audit/state',
    summary: 'Whether the log has trouble: events that wait, events the store refused, sinks that do not answer.',
    auth: 'signed-in',
    needs: ['events', 'list'],
    reply: auditState,
  },
});
