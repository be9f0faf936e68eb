/** A user as a document. Nothing in it lets anybody sign in: credentials are set through links. */
import { z } from 'zod';

const text = z.string().min(1).max(256);
const texts = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z
    .array(z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text))
    .max(256)
    .transform((values) => [...new Set(values)]),
);
const traitName = text.refine((name) => name !== '__proto__', 'is not a trait');

/** Fields that other products write and that mean nothing here; they are left out of what is given back. */
const ignored = z.unknown().optional();

export const userDocument = z.strictObject({
  kind: z.literal('user'),
  version: z.enum(['v1', 'v2']),
  metadata: z.strictObject({ name: text, description: ignored, labels: ignored, expires: ignored }),
  spec: z.strictObject({
    roles: texts.refine((roles) => roles.length > 0 && roles.length <= 64, 'must name 1 to 64 roles'),
    /** By the names templates call them: `logins`, `db_users`, `kubernetes_groups`, or any of your own; `external.logins` for what a provider would say. */
    traits: z.record(traitName, texts).default({}),
    created_by: ignored,
    expires: ignored,
    status: ignored,
  }),
});
export type UserDocument = z.output<typeof userDocument>;
