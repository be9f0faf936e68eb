/** How clients of the wire reference play recordings: what happened as a list, and everything that was printed as one stream of bytes. */
import { z } from 'zod';
import { text } from '../audit/search-query.ts';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';

/** As specified; more is asked for in several calls. */
export const MAX_STREAM_BYTES = 5 * 1024 * 1024;

const number = text(20).transform((given, context) => {
  if (given === undefined) return undefined;
  const parsed = Number(given);
  if (Number.isSafeInteger(parsed)) return parsed;
  context.addIssue({ code: 'custom', message: `must be a whole number, not '${given}'` });
  return z.NEVER;
});

export const compatPlaybackRoutes = defineRoutes({
  events: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/sessions/:sid/events',
    summary: 'What happened in a recorded session, oldest first: sizes, what was printed when, and the end.',
    auth: 'signed-in',
    /** Only those with a greater index. */
    query: z.object({ after: number }),
    reply: z.object({ events: listOf(z.looseObject({ event: z.string(), time: z.string() })), startKey: z.string() }),
  },
  stream: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/sessions/:sid/stream',
    summary: 'Bytes that a recorded session printed, from an offset; characters are never cut in two.',
    auth: 'signed-in',
    query: z.object({ offset: number, bytes: number }),
    reply: z.unknown(),
    replyAs: 'bytes',
  },
});
