/** What a checkpoint says: where every chain of the log ended at one moment. Whoever holds one can prove a later cut or change. */
import { z } from 'zod';

export const chainEnd = z.object({
  chain: z.string().min(1).max(128),
  /** Place of the last event, from 1 on; the hash is the event's. */
  index: z.number().int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where the chain begins since older events expired: the place and hash of the last one removed. */
  start: z.object({ index: z.number().int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});
export type ChainEnd = z.output<typeof chainEnd>;

export const checkpointBody = z.object({
  /** 2: says which one it follows. */
  version: z.union([z.literal(1), z.literal(2)]),
  cluster: z.string(),
  number: z.number().int().min(1),
  time: z.string(),
  chains: z.array(chainEnd).max(4_096),
  /** SHA-256 of the body of the one before. */
  previous: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type CheckpointBody = z.output<typeof checkpointBody>;

/** What a search adds to each event when asked for proof; with the event's own fields it is all that was hashed. */
export const eventProof = z.object({
  chain: z.string(),
  index: z.number().int(),
  previous: z.string(),
  hash: z.string(),
  severity: z.string(),
  user: z.string(),
  signIn: z.string(),
  session: z.string(),
  kind: z.string(),
  name: z.string(),
  address: z.string(),
});
export type EventProof = z.output<typeof eventProof>;

/** The field of a wire event that holds its proof. */
export const PROOF_FIELD = 'gatehouse';
