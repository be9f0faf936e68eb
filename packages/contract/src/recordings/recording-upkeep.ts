/** What keeps recordings honest: how many of the sessions have one, whether they are unchanged, what retention takes away. */
import { z } from 'zod';
import { eventRange } from '../audit/search-query.ts';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';

const coverageQuery = z.object({ ...eventRange });
export const STATEMENT_FORMS = ['sql', 'jsonl'] as const;
const statementsQuery = z.object({ as: z.enum(STATEMENT_FORMS).default('jsonl') });
const pruneBody = z.object({ dryRun: z.boolean() });

export const GAP_CAUSES = [
  'disabled',
  'failed',
  'missing',
  'truncated',
  'corrupted',
  /** Ended, whole here, and not in the storage yet. */
  'not_uploaded',
] as const;

export const coverage = z.object({
  /** Ended sessions that a recording was to be made of. */
  sessions: z.number().int(),
  recorded: z.number().int(),
  /** 0 to 1; 1 when there were no sessions. */
  share: z.number(),
  gaps: listOf(
    z.object({
      sid: z.string(),
      user: z.string(),
      resource: z.string(),
      ended: z.string(),
      cause: z.enum(GAP_CAUSES),
      /** For people. */
      reason: z.string(),
    }),
  ),
  /** False: there are more gaps than are told. */
  gapsComplete: z.boolean(),
  /** When the reconciler last looked. */
  checked: z.string(),
});
export type Coverage = z.output<typeof coverage>;

export const recordingVerdict = z.object({
  sid: z.string(),
  ok: z.boolean(),
  /** Frames looked at. */
  checked: z.number().int(),
  /** Until this second of the session a signature vouches for it. */
  signedMs: z.number().int(),
  /** The first bad place, if any. */
  problem: z.object({ at: z.number().int(), ms: z.number().int(), reason: z.string() }).optional(),
});
export type RecordingVerdict = z.output<typeof recordingVerdict>;

export const recordingUpkeepRoutes = defineRoutes({
  coverage: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recording-coverage',
    summary: 'How many of the ended sessions have a recording that plays, and which have not, with the cause.',
    auth: 'signed-in',
    query: coverageQuery,
    reply: coverage,
  },
  verify: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/verify',
    summary: 'Whether a recording is as it was written.',
    auth: 'signed-in',
    reply: recordingVerdict,
  },
  asciicast: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/asciicast',
    summary: 'The recording as asciicast v2. A player of that format obeys what is in it: control sequences included.',
    auth: 'signed-in',
    reply: undefined,
    replyAs: 'bytes',
  },
  statements: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/statements',
    summary:
      'The statements of a session with a database: as text to be read and run (`sql`), or as JSON lines (`jsonl`).',
    auth: 'signed-in',
    query: statementsQuery,
    reply: undefined,
    replyAs: 'bytes',
  },
  file: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/file',
    summary: 'The recording as it was written, to be checked elsewhere with the public key alone.',
    auth: 'signed-in',
    reply: undefined,
    replyAs: 'bytes',
  },
  prune: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/recordings/prune',
    summary: 'Removes what retention lets go now, or only tells what it would.',
    auth: 'signed-in',
    needs: ['recordedSessions', 'remove'],
    body: pruneBody,
    reply: z.object({ removed: listOf(z.string()), bytes: z.number().int(), dryRun: z.boolean() }),
  },
});
