/** Events of recordings: watched, taken away, expired, failed. */
import { z } from 'zod';
import { defineEvent } from './define-event.ts';
import { byUser, connection } from './event-fields.ts';
import { because, line } from './line.ts';

const about = { kind: 'recording', name: 'sid' } as const;

export const recordingAccessed = defineEvent({
  code: 'T2012I',
  event: 'session.recording.access',
  label: 'Session Recording Accessed',
  about,
  fields: { ...byUser, sid: z.string() },
  tell: ({ user, sid }) => line`${user} watched the recording of the session ${sid}`,
});

export const recordingExported = defineEvent({
  code: 'GH310I',
  event: 'session.recording.export',
  label: 'Session Recording Exported',
  about,
  fields: { ...byUser, ...connection, sid: z.string(), format: z.string() },
  tell: ({ user, sid, format }) => line`${user} took away the recording of the session ${sid} as ${format}`,
});

export const recordingDeleted = defineEvent({
  code: 'GH311I',
  event: 'session.recording.delete',
  label: 'Session Recording Deleted',
  about,
  fields: { ...byUser, sid: z.string(), reason: z.string().optional() },
  tell: ({ user, sid, reason }) =>
    line`${user || 'retention'} deleted the recording of the session ${sid}${because(reason)}`,
});

export const recordingFull = defineEvent({
  code: 'GH313W',
  event: 'session.recording.full',
  label: 'Session Recording Full',
  about,
  fields: { ...byUser, sid: z.string(), reason: z.string(), bytes: z.int() },
  tell: ({ sid, reason }) => line`the session ${sid} was ended: ${reason}`,
});

export const recordingFailed = defineEvent({
  code: 'GH312E',
  event: 'session.recording.failed',
  label: 'Session Recording Failed',
  about,
  fields: { ...byUser, sid: z.string(), error: z.string() },
  tell: ({ sid, error }) => line`the recording of the session ${sid} is not complete: ${error}`,
});

export const recordingTampered = defineEvent({
  code: 'GH360E',
  event: 'session.recording.tampered',
  label: 'Session Recording Tampered With',
  about,
  fields: { ...byUser, sid: z.string(), error: z.string() },
  tell: ({ sid, error }) =>
    line`the recording of the session ${sid} is not what was written: ${error}; it was put aside, and a new part began`,
});
