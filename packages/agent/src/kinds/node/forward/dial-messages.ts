/** What the agent and the process that connects for it say to each other. A socket travels with the answer. */
import { z } from 'zod';

/** Each address is tried in turn, the first that answers is taken. */
export const dialRequest = z.object({
  id: z.int(),
  to: z.union([z.object({ addresses: z.array(z.string()).min(1), port: z.int() }), z.object({ path: z.string() })]),
});
export type DialRequest = z.output<typeof dialRequest>;

export const dialAnswer = z.object({
  id: z.int(),
  /** Why there is no socket: `ECONNREFUSED` and the like. */
  failure: z.string().max(300).optional(),
});
export type DialAnswer = z.output<typeof dialAnswer>;
