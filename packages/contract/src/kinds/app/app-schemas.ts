/** What agents and join tokens say of applications. */
import { z } from 'zod';
import { resourceLabels } from '../../std/resource-fields.ts';
import { appName, appUri, offeredAppSpec } from './app-spec.ts';

export const appSchemas = {
  reported: z.object({
    kind: z.literal('app'),
    /** Its name: the same application of several agents is one. */
    id: z.string().max(64),
    name: appName,
    labels: resourceLabels,
    spec: offeredAppSpec,
  }),
  offerName: z
    .string()
    .max(63)
    .regex(/^[a-z0-9*](?:[a-z0-9*-]*[a-z0-9*])?$/, 'must be a name of an application; * stands for any letters'),
  named: z.strictObject({ name: appName, uri: appUri }),
} as const;
