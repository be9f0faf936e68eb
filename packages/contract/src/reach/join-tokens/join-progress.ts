/** What has come of a join token within the last hour, for whoever waits for machines to join with it. */
import { z } from 'zod';

/** Of each sort, the newest. */
export const MAX_JOIN_ATTEMPTS = 50;
/** What one machine offers may be thousands: the first are named. */
export const MAX_NAMED_OFFERS = 20;

const offer = z.object({ kind: z.string(), name: z.string() });

export const joinProgress = z.object({
  /** Machines that fetched an install script with it. */
  fetched: z.array(z.object({ at: z.string(), address: z.string() })).max(MAX_JOIN_ATTEMPTS),
  joined: z
    .array(
      z.object({
        /** Id of the agent, or of the server that keeps its own sshd. */
        agent: z.string(),
        name: z.string(),
        at: z.string(),
        address: z.string(),
        /** What it offers and was taken; none until it has said. */
        resources: z.array(offer).max(MAX_NAMED_OFFERS),
        /** How many it offers, named or not; absent until it has said. */
        offered: z.number().int().optional(),
        /** What it offers and was not taken, with why. */
        notTaken: z.array(offer.extend({ reason: z.string(), next: z.string().optional() })).max(MAX_NAMED_OFFERS),
      }),
    )
    .max(MAX_JOIN_ATTEMPTS),
  refused: z
    .array(
      z.object({
        at: z.string(),
        address: z.string(),
        /** Empty for an install script, which is fetched before the machine says its name. */
        name: z.string(),
        /** In words; the machine itself is not told what was wrong with its token. */
        reason: z.string(),
        /** What can be typed about it. */
        next: z.string().optional(),
      }),
    )
    .max(MAX_JOIN_ATTEMPTS),
  /** How many machines have joined with it, however long ago. */
  uses: z.number().int(),
  /** How many more may; absent: as many as like until it expires. */
  usesLeft: z.number().int().optional(),
  expires: z.string(),
});
export type JoinProgress = z.output<typeof joinProgress>;
