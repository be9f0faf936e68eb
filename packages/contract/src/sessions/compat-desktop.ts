/**
 * Desktops as clients of the wire reference speak them. Each message begins with its type; numbers are big-endian, texts and blobs
 * behind their length in 32 bits. From the gateway one message is one binary frame; from clients they are a stream of bytes.
 *
 *   gateway  27  length of the PNG, left, top, right, bottom, PNG     what has changed, as tiles, at most ten times a second
 *   client    3  x, y                      pointer            client    4  button (0 left, 1 middle, 2 right), 1 down or 0 up
 *   client    5  scan code, down or up     key                client    8  0 vertical or 1 horizontal, how far (16 bits, signed)
 *   both      6  text                      clipboard          both     10  'n', JSON: a challenge for a key, and its answer
 *   gateway  28  text, severity            2: it is over      both 11–26   a directory of the client's (directory-messages.ts)
 *
 * A recording is played as binary frames of JSON, {"message": one of the above in base64, "ms", "ei", "event", "time"}: 1 (width, height)
 * before the first tile and where the size changes, then 27, 3 and 4 at their time; {"message":"end"} or {"message":"error","errorText"}
 * is the last. Clients say {"action":"play/pause"} and {"action":"speed","speed"}.
 */
import { z } from 'zod';
import { typedLogin } from '../kinds/desktop/desktop-spec.ts';
import { MAX_DESKTOP_SIDE } from './desktop-frames.ts';

export const COMPAT_DESKTOP_SOCKET = '/v1/webapi/sites/:clusterId/desktops/:name/connect';
export const COMPAT_DESKTOP_PLAYBACK_SOCKET = '/v1/webapi/sites/:clusterId/desktopplayback/:sid';

export const COMPAT_DESKTOP_TYPES = {
  screen: 1,
  move: 3,
  button: 4,
  key: 5,
  clipboard: 6,
  user: 7,
  wheel: 8,
  factor: 10,
  tile: 27,
  notification: 28,
} as const;

/** 'n': of a key. */
export const COMPAT_KEY_FACTOR = 0x6e;
export const COMPAT_SEVERITIES = { info: 0, warning: 1, error: 2 } as const;
export type CompatSeverity = keyof typeof COMPAT_SEVERITIES;
/** The longest that a clipboard or the answer of a key may be. */
export const MAX_COMPAT_BLOB = 1024 * 1024;
/** The longest that a list of the files in a directory may be. */
export const MAX_COMPAT_LIST = 2 * 1024 * 1024;

const side = z.coerce.number().int().min(1).max(MAX_DESKTOP_SIDE);

export const compatDesktopQuery = z.object({ username: typedLogin, width: side, height: side });

export const MIN_PLAYBACK_SPEED = 0.25;
export const MAX_PLAYBACK_SPEED = 16;

export const compatPlaybackCommand = z.discriminatedUnion('action', [
  z.object({ action: z.literal('play/pause') }),
  /** Taken to the nearest that there is. */
  z.object({ action: z.literal('speed'), speed: z.number() }),
]);
