/**
 * Open sessions as they come, change and go, over a websocket of our own: what the list call gives, without asking again.
 *
 *   console  hello(token)            as on every socket of ours
 *   gateway  sessions(list)          all that the user may see, at once and whenever something of it changes
 *   console  look(sids)              whose screens are in sight; replaces what was said before
 *   gateway  screen(sid, …)          for those the user may observe: when it has changed, at most every 2 s
 *   gateway  picture(sid, …)         the same of a desktop, at most every 5 s
 */
import { z } from 'zod';
import { activeSession } from './sessions.ts';
import { sessionId } from './terminal-frames.ts';

export const LIVE_SESSIONS_SOCKET = '/v1/webapi/sites/:clusterId/live-sessions';

export const PICTURE_EVERY_MS = 2_000;
export const DESKTOP_PICTURE_EVERY_MS = 5_000;
/** Nobody sees more at a glance, and each costs something. */
export const MAX_LOOKED_AT = 30;

export const liveSessionsCommand = z.object({ type: z.literal('look'), sids: z.array(sessionId).max(MAX_LOOKED_AT) });

/** A drawn screen: colours and cursor moves only, nothing that answers, rings, copies or names. */
export const liveScreen = z.object({
  sid: sessionId,
  cols: z.int(),
  rows: z.int(),
  ansi: z.string(),
  cursor: z.object({ column: z.int(), row: z.int() }),
});
export type LiveScreen = z.output<typeof liveScreen>;

/** A desktop, made smaller. */
export const livePicture = z.object({
  sid: sessionId,
  /** Of the desktop itself. */
  width: z.int(),
  height: z.int(),
  /** In base64. */
  png: z.base64(),
});
export type LivePicture = z.output<typeof livePicture>;

export const liveSessionsReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(activeSession) }),
  z.object({ type: z.literal('screen'), ...liveScreen.shape }),
  z.object({ type: z.literal('picture'), ...livePicture.shape }),
  /** This sign-in may not listen here. */
  z.object({ type: z.literal('refused'), message: z.string() }),
]);
export type LiveSessionsReply = z.output<typeof liveSessionsReply>;
