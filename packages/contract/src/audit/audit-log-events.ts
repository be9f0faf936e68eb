/** Events of the log itself: checked, shortened, or in trouble. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection } from '../events/event-fields.ts';
import { because, line, theGateway, when } from '../events/line.ts';

const range = { chain: z.string(), first: z.number(), last: z.number() } as const;

export const auditVerified = defineEvent({
  code: 'GH330I',
  event: 'audit.verify',
  label: 'Audit Log Verified',
  fields: { ...byUser, ...connection, from: z.string().optional(), to: z.string(), checkpoint: z.number().optional() },
  tell: ({ user, from, to }) =>
    line`${user || 'the gateway'} checked the events ${when(from, line`from ${from} `)}to ${to}: nothing was changed`,
});

export const auditVerifyFailed = defineEvent({
  code: 'GH330E',
  event: 'audit.verify',
  label: 'Audit Log Not Intact',
  fields: { ...byUser, ...connection, ...range, broken_at: z.number(), error: z.string().optional() },
  tell: ({ user, first, last, chain, broken_at, error }) =>
    line`${user || 'the gateway'} checked the events ${first} to ${last} of ${chain}: the event ${broken_at} does not fit${because(error)}`,
});

export const auditRetention = defineEvent({
  code: 'GH332I',
  event: 'audit.retention',
  label: 'Audit Events Expired',
  fields: { ...byUser, chain: z.string(), before: z.string(), removed: z.number(), first: z.number() },
  tell: ({ removed, chain, before, first }) =>
    line`${removed} events of ${chain} from before ${before} were removed; it now begins at ${first}`,
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

export const auditNotSigned = defineEvent({
  code: 'GH337E',
  event: 'audit.signing',
  label: 'Audit Log Not Signed',
  fields: { gateway: z.string(), error: z.string() },
  tell: ({ gateway, error }) => line`${theGateway(gateway)} does not sign the log any more: ${error}`,
});

export const signingKeyLost = defineEvent({
  code: 'GH338E',
  event: 'audit.signing_key',
  label: 'Signing Key Lost',
  fields: { gateway: z.string(), earlier: z.number() },
  tell: ({ gateway }) =>
    line`${theGateway(gateway)} found the key gone that signed the log and recordings; a new one signs from now on`,
});

export const auditMemoryLost = defineEvent({
  code: 'GH339W',
  event: 'audit.signed_memory',
  label: 'Signed Audit Log Not Remembered',
  fields: { gateway: z.string(), error: z.string() },
  tell: ({ gateway, error }) => line`${theGateway(gateway)} does not know what it signed last: ${error}`,
});
