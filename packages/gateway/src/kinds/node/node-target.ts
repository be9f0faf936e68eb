/** What is dialled for a server. */
import { hostPort } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Target } from '../../reach/reach.ts';

/** The part of a server's spec that says where it is. */
const dialled = z.object({ addr: hostPort, through: z.string().optional(), ownMachine: z.boolean().default(false) });

export function nodeTarget({ spec, owner }: Pick<Resource, 'spec' | 'owner'>): Target {
  const { addr, through, ownMachine } = dialled.parse(spec);
  // Whoever announces a resource also dials it, whatever its spec says.
  const agent = owner || through;
  return { addr, through: agent === undefined ? 'gateway' : { agent }, mayBeThisMachine: ownMachine };
}
