/** A lock as a document. */
import { z } from 'zod';
import { LOCK_TARGETS } from '../locks/locks.ts';

const target = z.string().trim().min(1).max(256);

export const lockDocument = z.strictObject({
  kind: z.literal('lock'),
  version: z.literal('v2'),
  metadata: z.strictObject({
    name: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be letters, digits and '.', '_', '-'"),
  }),
  spec: z.strictObject({
    target: z
      .strictObject(Object.fromEntries(LOCK_TARGETS.map((kind) => [kind, target.optional()])))
      .refine((targets) => Object.keys(targets).length === 1, 'must name exactly one target'),
    message: z.string().trim().max(500).default(''),
    expires: z.iso.datetime({ offset: true }).optional(),
    created_at: z.unknown().optional(),
    created_by: z.unknown().optional(),
  }),
});
export type LockDocument = z.output<typeof lockDocument>;
