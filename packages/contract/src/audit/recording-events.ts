/** Events of recordings: watched, taken away, expired, failed. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection, ofSession } from '../events/event-fields.ts';
import { because, line } from '../events/line.ts';
import { owner, sessionOf } from '../events/session-words.ts';

const about = { kind: 'recording', name: 'sid' } as const;
/** Which one, in words: ours beside the wire's. */
const which = { ...byUser, ...ofSession, sid: z.string(), owner } as const;

export const recordingAccessed = defineEvent({
  code: 'T2012I',
  event: 'session.recording.access',
  label: 'Session Recording Accessed',
  about,
  fields: which,
  tell: (fields) => line`${fields.user} watched the recording of ${sessionOf(fields.owner, fields)}`,
});

export const recordingExported = defineEvent({
  code: 'GH310I',
  event: 'session.recording.export',
  label: 'Session Recording Exported',
  about,
  fields: { ...which, ...connection, format: z.string() },
  tell: (fields) =>
    line`${fields.user} took away the recording of ${sessionOf(fields.owner, fields)} as ${fields.format}`,
});

export const recordingDeleted = defineEvent({
  code: 'GH311I',
  event: 'session.recording.delete',
  label: 'Session Recording Deleted',
  about,
  fields: { ...which, reason: z.string().optional() },
  tell: (fields) =>
    line`${fields.user || 'retention'} deleted the recording of ${sessionOf(fields.owner, fields)}${because(fields.reason)}`,
});

export const recordingFull = defineEvent({
  code: 'GH313W',
  event: 'session.recording.full',
  label: 'Session Recording Full',
  about,
  fields: { ...which, reason: z.string(), bytes: z.int() },
  tell: (fields) => line`${sessionOf(fields.owner, fields)} was ended: ${fields.reason}`,
});

export const recordingFailed = defineEvent({
  code: 'GH312E',
  event: 'session.recording.failed',
  label: 'Session Recording Failed',
  about,
  fields: { ...which, error: z.string() },
  tell: (fields) => line`the recording of ${sessionOf(fields.owner, fields)} is not complete: ${fields.error}`,
});

export const recordingTampered = defineEvent({
  code: 'GH360E',
  event: 'session.recording.tampered',
  label: 'Session Recording Tampered With',
  about,
  fields: { ...which, error: z.string() },
  tell: (fields) =>
    line`the recording of ${sessionOf(fields.owner, fields)} is not what was written: ${fields.error}; it was put aside, and a new part began`,
});
