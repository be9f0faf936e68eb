/** Names that stay with the agents that had them: the calls of every kind whose things several agents share. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

/** What the calls are made of, as the kind's row has it. */
export interface SharedRow {
  noun: string;
  acl: string;
  shared: { hosts: boolean };
}

/** A name of such a thing, or a public host of it, and whose it is. Below its kind stands the thing, by its name. */
export type HeldName<K extends string = string> = {
  kind: K | 'host';
  name: string;
  /** The group of tokens; see join tokens. */
  group: string;
  since: string;
  /** Whether agents offer the thing now. */
  offered: boolean;
} & { [Own in K]: string };

function heldName<const K extends string>(kind: K): z.ZodType<HeldName<K>, HeldName<K>> {
  const fields = {
    kind: z.enum([kind, 'host']),
    name: z.string(),
    [kind]: z.string(),
    group: z.string(),
    since: z.string(),
    offered: z.boolean(),
  };
  // A key that is known only by its type is a key of any name to the compiler.
  return z.object(fields) as unknown as z.ZodType<HeldName<K>, HeldName<K>>;
}

export function heldNameRoutes<const K extends string, const Row extends SharedRow>(
  kind: K,
  { noun, acl, shared }: Row,
) {
  const path = `/v1/webapi/sites/:clusterId/${kind}-names` as const;
  return defineRoutes({
    names: {
      method: 'GET',
      path,
      summary: `Names${shared.hosts ? ' and hosts' : ''} of ${noun}s that belong to agents, also while none of them offers the ${noun}.`,
      auth: 'signed-in',
      needs: [acl as Row['acl'], 'list'],
      reply: z.array(heldName(kind)),
    },
    free: {
      method: 'DELETE',
      path: `${path}/:name`,
      summary: shared.hosts
        ? `Frees the name of one of the ${noun}s, with its hosts, or one host: whoever offers it next has it. Not while agents offer it.`
        : `Frees the name of one of the ${noun}s: whoever offers it next has it. Not while agents offer it.`,
      auth: 'signed-in',
      needs: [acl as Row['acl'], 'remove'],
      reply: z.object({ freed: z.array(z.string()) }),
    },
  });
}

export type HeldNameRoutes<K extends string> = ReturnType<typeof heldNameRoutes<K, SharedRow>>;
