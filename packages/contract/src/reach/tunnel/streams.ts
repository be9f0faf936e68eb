/**
 * What travels with each stream of a tunnel, and how either side says goodbye.
 *
 *   gateway  CONNECT  :authority = target, tunnel-metadata = base64url JSON    the session's identity and context
 *   agent    200                                                              bytes flow both ways, each way ends by itself
 *   agent    403 | 503 | …  tunnel-refusal = base64url JSON                    why not
 *
 * On the control stream (target `tunnel.control`), messages framed as in handshake.ts:
 *
 *   either   farewell(reason, retry, drainMs)     no new streams; the gateway closes when the open ones have ended
 */
import { z } from 'zod';

export const CONTROL_TARGET = 'tunnel.control';
export const METADATA_HEADER = 'tunnel-metadata';
export const STREAM_REFUSAL_HEADER = 'tunnel-refusal';
export const FAREWELL_BYTES = 4 * 1024;
export const METADATA_BYTES = 16 * 1024;

/** Printable, without spaces: it travels as a pseudo header, and in messages to people. */
export const streamTarget = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 printable characters');

/** Opaque to the tunnel; gateway and agent agree on the names. */
export const streamMetadata = z
  .record(z.string().min(1).max(64), z.string().max(8 * 1024))
  .refine((metadata) => Object.keys(metadata).length <= 32, 'has more than 32 entries');
export type StreamMetadata = z.output<typeof streamMetadata>;

/** Why an agent opened no stream, each with the HTTP status it travels under. */
export const STREAM_REFUSALS = {
  bad_request: 400,
  not_allowed: 403,
  not_found: 404,
  busy: 429,
  failed: 500,
  unreachable: 502,
  draining: 503,
} as const;
export type StreamRefusalCode = keyof typeof STREAM_REFUSALS;

export const streamRefusal = z.object({
  code: z.enum(Object.keys(STREAM_REFUSALS) as [StreamRefusalCode, ...StreamRefusalCode[]]),
  message: z.string().max(1000),
});
export type StreamRefusal = z.output<typeof streamRefusal>;

export const farewell = z.object({
  type: z.literal('farewell'),
  reason: z.string().max(1000),
  /** Whether the agent shall come back, to this gateway or another. */
  retry: z.boolean(),
  drainMs: z.int().min(0).max(3_600_000),
});
export type Farewell = z.output<typeof farewell>;
