/**
 * Somebody beside the owner of a workbench, over the same socket: they see its statements, and fulfil what a role asks for.
 *
 *   console  hello(token)                   as on every socket of ours
 *   console  attach(sid, mode)              in place of `open`
 *   gateway  factor(challenge)              only where a role of theirs asks for a second factor; answered by factor(answer)
 *   gateway  watching(…)                    they are in it; then what was run last
 *   gateway  asked, answered                each statement, as in a recording of it, and what came of it
 *   gateway  flow(live | waiting | frozen)  as the owner is told
 *   gateway  ended(cause, message)          it is over, or they were shown out; the socket closes
 *   gateway  refused(code, message)         the socket closes
 *   console  end(reason)                    of a moderator: ends it for everybody
 */
import { z } from 'zod';
import { authenticateChallenge, factorAnswer } from '../identity/webauthn.ts';
import { DB_PROTOCOLS } from '../kinds/db/db-address.ts';
import { editorFlow } from '../kinds/db/editor.ts';
import { answeredItem, askedItem } from '../recordings/recordings.ts';
import { endedFrame, refusedFrame } from '../wire/last-frames.ts';
import { MAX_REASON, PARTICIPANT_MODES } from './terminal-frames.ts';

/** Of those that were run before somebody came, so many are told. */
export const MAX_PAST_STATEMENTS = 100;
/** Of the text of one: the recording has more. */
export const MAX_WATCHED_CHARACTERS = 8_192;

export const watchOpening = z.object({
  type: z.literal('attach'),
  sid: z.uuid(),
  mode: z.enum(PARTICIPANT_MODES),
});
export type WatchOpening = z.output<typeof watchOpening>;

export const watchCommand = z.object({ type: z.literal('end'), reason: z.string().max(MAX_REASON).optional() });

export const watchFactor = factorAnswer.extend({ type: z.literal('factor') });

export const watchReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('factor'), challenge: authenticateChallenge }),
  z.object({
    type: z.literal('watching'),
    sid: z.string(),
    user: z.string(),
    mode: z.enum(PARTICIPANT_MODES),
    database: z.string(),
    protocol: z.enum(DB_PROTOCOLS),
    dbUser: z.string(),
    dbName: z.string(),
    created: z.string(),
    recorded: z.boolean(),
  }),
  askedItem,
  answeredItem,
  editorFlow,
  endedFrame,
  refusedFrame,
]);
export type WatchReply = z.output<typeof watchReply>;
