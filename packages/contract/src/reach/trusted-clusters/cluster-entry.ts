/** Who a cluster is, as two of them tell each other when one joins the other: base64 of JSON. */
import { z } from 'zod';

export const ENTRY_VERSION = 1;

/** An Ed25519 public key. */
export const publicKey32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

export const clusterId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be the id of a cluster');

export const clusterEntry = z.object({
  v: z.literal(ENTRY_VERSION),
  clusterId,
  name: z.string().min(1).max(128),
  key: publicKey32,
  next: publicKey32.optional(),
  version: z.string().min(1).max(64),
});
export type ClusterEntry = z.output<typeof clusterEntry>;
