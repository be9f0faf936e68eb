/** A role as people write it. The gateway reads it out of YAML or JSON and says on which line something is wrong. */
import { z } from 'zod';
import { roleConditions } from './role-conditions.ts';
import { roleOptions } from './role-options.ts';
import { text } from './role-values.ts';
import { ROLE_VERSIONS } from './vocabulary.ts';

export const MAX_ROLE_CHARACTERS = 256 * 1024;

export const roleDocument = z.strictObject({
  kind: z.literal('role'),
  version: z.enum(ROLE_VERSIONS),
  metadata: z.strictObject({
    name: z.string(),
    description: z.string().max(4096).optional(),
    labels: z.record(text.max(256), z.string().max(1024)).optional(),
    expires: z.iso.datetime({ offset: true }).optional(),
  }),
  spec: z
    .strictObject({
      allow: roleConditions.optional(),
      deny: roleConditions.optional(),
      options: roleOptions.optional(),
    })
    .default({}),
});
export type RoleDocument = z.output<typeof roleDocument>;
