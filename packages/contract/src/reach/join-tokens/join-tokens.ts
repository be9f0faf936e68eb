/** Join tokens: what a machine shows once to become an agent of this cluster. */

import { z } from 'zod';
import { serverHosts } from '../../kinds/db/server-hosts.ts';
import { type KindNamed, type OptionalFields, schemasOf } from '../../kinds/kind-schemas.ts';
import { type KindJoinRoles, rows } from '../../kinds/kinds.ts';
import { label } from '../../std/labels.ts';
import { matcherLabels } from '../../std/matcher-labels.ts';
import { resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { defineRoutes } from '../../wire/route.ts';
import { JOIN_METHODS } from './iam.ts';
import { joinProgress } from './join-progress.ts';
import { allowRule } from './token-facts.ts';
import { tokenGroup, tokenOffers } from './token-offers.ts';

/** Roles on the wire → what an agent that joined with them may offer. */
export const JOIN_ROLES = Object.fromEntries(rows.map(({ joinRole, kind }) => [joinRole, kind])) as KindJoinRoles;
export type JoinRole = keyof typeof JOIN_ROLES;
const joinRole = z.enum(Object.keys(JOIN_ROLES) as [JoinRole, ...JoinRole[]]);

/** The one label that ties what joined to the token it joined with; hidden in lists, found by searches. */
export const RESOURCE_ID_LABEL = 'teleport.internal/resource-id';
export const DEFAULT_TTL_SECONDS = 4 * 3600;
export const MAX_TTL_SECONDS = 30 * 86_400;
export const IAM_TTL_SECONDS = 10 * 365 * 86_400;

/** Sent with what fetches an install script to read it: no machine has come, and nothing is bound by it. */
export const LOOK_HEADER = 'gatehouse-look';

/** 16 random bytes: the only form that is ever put into a script. */
export const joinTokenId = z.string().regex(/^[0-9a-f]{32}$/, 'is no join token: 32 hexadecimal characters');

export const joinToken = z.object({
  /** The first characters; the whole is shown once, when it is made. */
  hint: z.string(),
  id: z.string(),
  roles: z.array(joinRole),
  labels: z.array(label),
  created: z.string(),
  createdBy: z.string(),
  expires: z.string(),
  /** How often it may still be used; absent: as often as one likes until it expires. */
  usesLeft: z.number().int().optional(),
  uses: z.number().int(),
  /** What machines that join with it may offer. */
  offers: tokenOffers,
  /** Names of applications belong to tokens of one group together. */
  group: z.string(),
  /** Absent: `token`. */
  method: z.enum(JOIN_METHODS).optional(),
  /** As it was given; absent where nothing was. */
  allow: z.array(allowRule).optional(),
  suggested_agent_matcher_labels: matcherLabels.optional(),
  hosts: z.array(z.string()).optional(),
});
export type JoinToken = z.output<typeof joinToken>;

/** What the new agent will offer: the command then installs an agent with this one thing, of whichever kind. */
const namedThings = Object.fromEntries(
  rows.flatMap(({ kind }) => {
    const { named } = schemasOf(kind);
    return named ? [[kind, named.optional()]] : [];
  }),
) as unknown as OptionalFields<KindNamed>;

export const joinTokenRoutes = defineRoutes({
  create: {
    method: 'POST',
    path: '/v1/webapi/token',
    summary: 'Makes a join token of the method `token` or `iam`; the same one again for the same rules of `iam`.',
    auth: 'signed-in',
    needs: ['tokens', 'create'],
    body: z.object({
      roles: z.array(joinRole).min(1).max(rows.length),
      join_method: z.string().max(32).default('token'),
      /** Which machines of AWS join by the method `iam`, one rule is enough. With `token` it is kept and shown, and no machine is checked by it. */
      allow: z.array(allowRule).max(100).nullish(),
      /** Which databases an agent that joins with it may look after: no others, whatever its file says. */
      suggested_agent_matcher_labels: matcherLabels.nullish(),
      /** Whose database servers may be signed with it, of the role Db. Absent: those of databases whose labels it names. */
      hosts: serverHosts.optional(),
      /** Four hours unless told; of the method `iam`, whose name is no secret, ten years. */
      ttlSeconds: z.number().int().min(60).max(MAX_TTL_SECONDS).optional(),
      /** Absent: until it expires. */
      uses: z.number().int().min(1).max(100_000).optional(),
      labels: resourceLabels.default({}),
      ...namedThings,
      /** What machines that join with it may offer; the name of what the command names is among it. */
      offers: tokenOffers.optional(),
      /** Whose names it goes on with; its own unless told, or that of the applications it names. */
      group: tokenGroup.optional(),
    }),
    reply: z.object({
      id: z.string(),
      expiry: z.string(),
      method: z.string(),
      suggestedLabels: z.array(label),
      gatehouse: z
        .object({
          /** What to type on the machine; installs the agent. Absent where nothing can be installed with this token alone. */
          command: z.string().optional(),
          /** The same for a machine that keeps its own sshd; only with a token for servers. */
          openSshCommand: z.string().optional(),
          /** How what the gateway serves under the token is fetched: what to type, and the address that a path is put behind. */
          fetch: z.object({ command: z.string(), address: z.string() }).optional(),
          /** Why there is no command, or which of its roles the command does not serve. */
          missing: z.string().optional(),
          /** Name for `remove` and lists. */
          tokenId: z.string(),
          /** Set where other machines cannot reach the gateway as it stands. */
          warning: z.string().optional(),
        })
        .optional(),
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/webapi/tokens',
    summary: 'The join tokens that are still good, without their secrets.',
    auth: 'signed-in',
    needs: ['tokens', 'list'],
    reply: z.array(joinToken),
  },
  progress: {
    method: 'GET',
    path: '/v1/webapi/tokens/:id/progress',
    summary:
      'What has come of a join token within the last hour: scripts that were fetched, machines that joined and that were refused. For who made it, or may list it.',
    auth: 'signed-in',
    reply: joinProgress,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/tokens/:id',
    summary: 'Takes a join token back. Agents that joined with it stay.',
    auth: 'signed-in',
    needs: ['tokens', 'remove'],
    reply: ack,
  },
});
