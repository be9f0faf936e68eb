/** What tokens carry for agents of clouds and databases, in the reference's words. */
import { z } from 'zod';

/** From which account of a cloud machines may come. */
export const allowRule = z.object({
  aws_account: z.string().regex(/^\d{12}$/, 'must be the number of an AWS account: 12 digits'),
  aws_arn: z
    .string()
    .max(2048)
    .regex(/^arn:[\w*?-]*:[\w*?-]*:[\w*?-]*:[\d*?]*:[\x21-\x7e]+$/, 'must be an ARN; * and ? stand for any letters')
    .optional(),
  aws_role: z.string().max(2048).optional(),
  aws_regions: z
    .array(z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be the name of a region'))
    .max(64)
    .optional(),
});
export type AllowRule = z.output<typeof allowRule>;
