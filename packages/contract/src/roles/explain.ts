/** Why somebody may reach something, or may not, and what would change it: for administrators. */
import { z } from 'zod';
import { type Kind, kinds } from '../kinds/kinds.ts';
import { listOf } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const kind = z.enum(kinds as [Kind, ...Kind[]]);
const name = z.string().min(1).max(256);

const reason = z.object({
  role: z.string(),
  side: z.enum(['allow', 'deny']),
  /** The place in the role's document. */
  path: z.string(),
  /** Labels of the resource that the clause matched. */
  labels: z.record(z.string(), z.string()).optional(),
  /** Names that came from the user, with the trait they came from. */
  traits: z.array(z.object({ trait: z.string(), value: z.string() })).optional(),
  sentence: z.string(),
});

export const explanation = z.object({
  allowed: z.boolean(),
  sentence: z.string(),
  reasons: z.array(reason),
  /** All of it together turns the decision round. */
  change: z.array(z.object({ type: z.string(), sentence: z.string() }).loose()),
  /** A lock forbids it, whatever the roles say. */
  lock: z.object({ name: z.string(), message: z.string() }).optional(),
});
export type AccessExplanation = z.output<typeof explanation>;

export const reacher = z.object({
  user: z.string(),
  /** As whom; empty for kinds that need no name. */
  names: z.array(z.string()),
  roles: z.array(z.string()),
});
export type Reacher = z.output<typeof reacher>;

export const explainRoutes = defineRoutes({
  explain: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/explain',
    summary:
      'Says whether a user may connect to a resource under a name, which clauses decide, and what would change it.',
    auth: 'signed-in',
    needs: ['roles', 'read'],
    body: z.object({
      user: name,
      kind,
      /** The id of the resource. */
      resource: name,
      /** Login on a server or desktop, database user, Kubernetes user. */
      as: name.optional(),
      dbName: name.optional(),
      groups: z.array(name).max(100).default([]),
    }),
    reply: explanation,
  },
  who: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/access/who',
    summary: 'Who can reach a resource, as whom and by which roles.',
    auth: 'signed-in',
    needs: ['roles', 'read'],
    query: z.object({ kind, resource: name }),
    reply: listOf(reacher),
  },
});
