/**
 * The terminal as clients of the wire reference speak it: binary frames, each one envelope.
 *
 *   0A 01 31 | 12 01 TYPE | 1A LENGTH TEXT        version "1", one letter, UTF-8 (left out when empty)
 *
 *   gateway  s   the session as JSON, before anything is dialled
 *   gateway  n   a challenge for a key; the next message is the answer, whatever its letter
 *   either   r   output and keystrokes
 *   client   w   resize as JSON: {"event":"resize","width":80,"height":24,"size":"80:24"}
 *   gateway  a   an event of the session as JSON; clients read `resize`
 *   either   c   the end
 *   gateway  e   an error before anything was opened
 *
 * Keys and sizes that come before the shell is there wait for it, 256 KiB of them; more is told by `r` and a close with 1008.
 */
import { z } from 'zod';
import { screenCols, screenRows } from './screen-size.ts';
import { PARTICIPANT_MODES } from './terminal-frames.ts';

export const COMPAT_TERMINAL_SOCKET = '/v1/webapi/sites/:clusterId/connect';

/** The public client misreads lengths of more than two bytes. */
export const COMPAT_PAYLOAD_BYTES = 16_383;

export const compatParams = z.object({
  login: z.string().max(128).optional(),
  sid: z.uuid().optional(),
  /** Id, host name or HOST:PORT. */
  server_id: z.string().max(300).optional(),
  mode: z.union([z.enum(PARTICIPANT_MODES), z.literal('')]).optional(),
  term: z.object({ h: screenRows, w: screenCols }),
});
export type CompatParams = z.output<typeof compatParams>;

export const compatResize = z.object({ size: z.string().regex(/^[1-9]\d{0,3}:[1-9]\d{0,3}$/) });
