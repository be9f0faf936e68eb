/** Events of the log itself: read out, checked, shortened, or in trouble. */
import { z } from 'zod';
import { defineEvent } from './define-event.ts';
import { byUser, connection } from './event-fields.ts';
import { because, line, when } from './line.ts';

const range = { chain: z.string(), first: z.number(), last: z.number() } as const;

export const auditVerified = defineEvent({
  code: 'GH330I',
  event: 'audit.verify',
  label: 'Audit Log Verified',
  fields: { ...byUser, ...connection, ...range },
  tell: ({ user, first, last, chain }) =>
    line`${user || 'the gateway'} checked the events ${first} to ${last} of ${chain}: nothing was changed`,
});

export const auditVerifyFailed = defineEvent({
  code: 'GH330E',
  event: 'audit.verify',
  label: 'Audit Log Not Intact',
  fields: { ...byUser, ...connection, ...range, broken_at: z.number(), error: z.string().optional() },
  tell: ({ user, first, last, chain, broken_at, error }) =>
    line`${user || 'the gateway'} checked the events ${first} to ${last} of ${chain}: the event ${broken_at} does not fit${because(error)}`,
});

export const auditCheckpoint = defineEvent({
  code: 'GH331I',
  event: 'audit.checkpoint',
  label: 'Audit Checkpoint Signed',
  fields: { chain: z.string(), last: z.number(), hash: z.string(), key_id: z.string().optional() },
  tell: ({ chain, last, hash }) => line`the events of ${chain} up to ${last} were sealed with the hash ${hash}`,
});

export const auditRetention = defineEvent({
  code: 'GH332I',
  event: 'audit.retention',
  label: 'Audit Events Expired',
  fields: { ...byUser, chain: z.string(), before: z.string(), removed: z.number(), first: z.number() },
  tell: ({ removed, chain, before, first }) =>
    line`${removed} events of ${chain} from before ${before} were removed; it now begins at ${first}`,
});

export const auditExported = defineEvent({
  code: 'GH333I',
  event: 'audit.export',
  label: 'Audit Log Exported',
  fields: {
    ...byUser,
    ...connection,
    format: z.string(),
    from: z.string().optional(),
    to: z.string().optional(),
    events: z.number(),
    filter: z.string().optional(),
  },
  tell: ({ user, events, format }) => line`${user} exported ${events} events as ${format}`,
});

export const auditDelayed = defineEvent({
  code: 'GH334W',
  event: 'audit.queue',
  label: 'Audit Events Delayed',
  fields: { events: z.number(), since: z.string(), error: z.string().optional() },
  tell: ({ events, since, error }) => line`${events} events waited on disk since ${since}${because(error)}`,
});

export const auditDeadLetter = defineEvent({
  code: 'GH335E',
  event: 'audit.dead_letter',
  label: 'Audit Event Not Stored',
  fields: { rejected_code: z.string().optional(), file: z.string(), error: z.string() },
  tell: ({ rejected_code, file, error }) =>
    line`an event ${rejected_code} could not be stored and is kept in ${file}: ${error}`,
});

export const auditSinkFailed = defineEvent({
  code: 'GH336W',
  event: 'audit.sink',
  label: 'Audit Sink Failing',
  about: { kind: 'audit_sink', name: 'name' },
  fields: { name: z.string(), error: z.string(), behind: z.number().optional() },
  tell: ({ name, error }) => line`the sink ${name} does not take events: ${error}`,
});

export const auditSinkRecovered = defineEvent({
  code: 'GH336I',
  event: 'audit.sink',
  label: 'Audit Sink Recovered',
  about: { kind: 'audit_sink', name: 'name' },
  fields: { name: z.string(), events: z.number().optional() },
  tell: ({ name, events }) => line`the sink ${name} takes events again${when(events, line`; ${events} had waited`)}`,
});
