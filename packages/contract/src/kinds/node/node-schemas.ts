/** What agents and join tokens say of servers. */
import { z } from 'zod';
import { resourceLabels } from '../../std/resource-fields.ts';
import { agentNodeSpec, nodeName } from './node-spec.ts';

export const nodeSchemas = {
  reported: z.object({
    kind: z.literal('node'),
    /** Its agent's: an agent is one machine. */
    id: z.string().max(64),
    name: nodeName,
    labels: resourceLabels,
    /** People may type the host name instead of the name: it is held to the same grammar. */
    spec: agentNodeSpec.extend({ hostname: nodeName }),
  }),
  offerName: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9*](?:[A-Za-z0-9*._-]*[A-Za-z0-9*])?$/, 'must be a name of a server; * stands for any letters'),
} as const;
