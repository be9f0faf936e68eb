/** What a page hears last on a socket: that what it worked in is over, or that it may not, or cannot, have it. */
import { z } from 'zod';

export const endedFrame = z.object({ type: z.literal('ended'), cause: z.string(), message: z.string() });

export const refusedFrame = z.object({
  type: z.literal('refused'),
  code: z.string(),
  message: z.string(),
  /** What to do about it, when that is known. */
  next: z.string().optional(),
  /** For looking the refusal up. */
  requestId: z.string().optional(),
});
