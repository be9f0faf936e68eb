/** What a change of roles or of a user would do, worked out before it is made. */
import { z } from 'zod';
import { MAX_USER_PAGE } from '../../identity/users/find-users.ts';
import { TRAITS } from '../../identity/users/traits.ts';
import { listOf, listReply } from '../../wire/paging.ts';
import { defineRoutes, VERBS } from '../../wire/route.ts';
import { ACL_GROUPS, type AclGroup } from '../acl.ts';
import { MAX_ROLE_CHARACTERS } from '../roles/role-document.ts';
import { PRINCIPAL_FIELDS } from '../roles/vocabulary.ts';
import { answerPage, kindName } from './explain.ts';

const name = z.string().min(1).max(256);

export const plannedChange = z.discriminatedUnion('type', [
  /** A draft: of a role that exists, or of a new one. */
  z.strictObject({ type: z.literal('save-role'), content: z.string().min(1).max(MAX_ROLE_CHARACTERS) }),
  z.strictObject({ type: z.literal('delete-role'), name }),
  /** Roles replace those held; absent traits stay, empty ones are cleared. A user that does not exist yet may be meant. */
  z.strictObject({
    type: z.literal('change-user'),
    name,
    roles: z.array(name).max(64).optional(),
    traits: z.record(z.string().max(256), z.array(z.string().max(256)).max(256)).default({}),
  }),
  z.strictObject({ type: z.literal('delete-user'), name }),
  /** Several users each get and lose some roles. */
  z.strictObject({
    type: z.literal('change-users'),
    names: z.array(name).min(1).max(MAX_USER_PAGE),
    add: z.array(name).max(64).default([]),
    remove: z.array(name).max(64).default([]),
  }),
]);
export type PlannedChange = z.input<typeof plannedChange>;

/** A name that is gained or lost. `connect` is for what needs no name; `*` stands for any name. */
export const affectedName = z.object({
  field: z.enum([...PRINCIPAL_FIELDS, 'kubernetes_resources', 'connect']),
  name: z.string(),
  /** The database user the database name goes with. */
  with: z.string().optional(),
});
export type AffectedName = z.output<typeof affectedName>;

const bothWays = z.object({ gained: z.number().int(), lost: z.number().int() });

const extent = z.object({
  /** Users who gain or lose something. */
  users: bothWays,
  /** Resources on which somebody does. */
  resources: bothWays,
  /** Names, each counted for every user and every resource. */
  names: bothWays,
});
export type Extent = z.output<typeof extent>;

/** One user gains and loses the same names on all of these resources. */
const effect = z.object({
  /** Asks for the resources, with `what-if/resources`. */
  key: z.string(),
  user: z.string(),
  kind: kindName,
  /** At most a hundred of each; the counts are of all. */
  gained: z.array(affectedName),
  lost: z.array(affectedName),
  gainedCount: z.number().int(),
  lostCount: z.number().int(),
  resourceCount: z.number().int(),
  /** A few of the resources, by name. What the caller may not see is counted and not named. */
  resourceNames: z.array(z.string()),
});
export type Effect = z.output<typeof effect>;

const right = z.object({
  group: z.enum(Object.keys(ACL_GROUPS) as [AclGroup, ...AclGroup[]]),
  verb: z.enum(VERBS),
});

export const whatIfRoutes = defineRoutes({
  whatIf: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/what-if',
    summary:
      'Who would gain and lose which names on which resources, exactly. For those who may edit roles; about a user also for those who may read roles and change that user.',
    auth: 'signed-in',
    needs: ['roles', 'read'],
    body: z.strictObject({ change: plannedChange, ...answerPage }),
    reply: listReply(effect).extend({
      total: extent,
      kinds: listOf(extent.extend({ kind: kindName })),
      /** Calls of the API that users may make from then on, or no longer; at most a hundred users. */
      rights: z.object({
        users: z.number().int(),
        items: z.array(z.object({ user: z.string(), gained: z.array(right), lost: z.array(right) })),
      }),
      /** For a change of a user: what their roles would take names from, and find empty. */
      missing: z.array(z.object({ trait: z.enum(TRAITS), roles: z.array(z.string()) })).optional(),
      /** Users who are counted above and whom the caller may not see. */
      hiddenUsers: z.number().int(),
    }),
  },
  resources: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/access/what-if/resources',
    summary: 'The resources of one effect of a planned change.',
    auth: 'signed-in',
    needs: ['roles', 'read'],
    body: z.strictObject({ change: plannedChange, key: z.string().max(65_536), ...answerPage }),
    reply: listReply(z.object({ id: z.string(), name: z.string() })).extend({
      /** Counted and not named: the caller may not see them. */
      hidden: z.number().int(),
    }),
  },
});
