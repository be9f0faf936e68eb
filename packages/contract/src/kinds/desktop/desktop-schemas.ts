/** What agents and join tokens say of desktops. */
import { z } from 'zod';
import { hostPort, resourceLabels } from '../../std/resource-fields.ts';
import { desktopName, offeredDesktopSpec } from './desktop-spec.ts';

export const desktopSchemas = {
  reported: z.object({
    kind: z.literal('desktop'),
    /** Its name. */
    id: z.string().max(253),
    name: desktopName,
    labels: resourceLabels,
    spec: offeredDesktopSpec,
  }),
  offerName: z
    .string()
    .max(253)
    .regex(/^[a-z0-9*](?:[a-z0-9._*-]*[a-z0-9*])?$/, 'must be a name of a desktop; * stands for any letters'),
  named: z.strictObject({ name: desktopName, addr: hostPort }),
} as const;
