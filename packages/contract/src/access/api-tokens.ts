/** Tokens for scripts: a name, a scope not wider than the owner's own rights, and an end. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes, VERBS } from '../wire/route.ts';
import { type AclGroup, aclGroups } from './acl.ts';

/** `read` looks, `all` does what the owner may, and a table of groups and verbs gives exactly those. */
export const tokenScope = z.union([
  z.enum(['read', 'all']),
  z.partialRecord(z.enum(aclGroups as [AclGroup, ...AclGroup[]]), z.array(z.enum(VERBS)).max(VERBS.length)),
]);
export type TokenScope = z.output<typeof tokenScope>;

const MAX_TTL_SECONDS = 366 * 86_400;

export const apiToken = z.object({
  id: z.string(),
  name: z.string(),
  scope: tokenScope,
  created: z.string(),
  expires: z.string(),
  /** Absent until it is used. */
  lastActive: z.string().optional(),
});
export type ApiToken = z.output<typeof apiToken>;

export const apiTokenRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/apitokens',
    summary: 'The caller’s tokens for scripts, without their secrets.',
    auth: 'signed-in',
    reply: z.array(apiToken),
  },
  create: {
    method: 'POST',
    path: '/v1/webapi/apitokens',
    summary: 'Makes a token for scripts; its secret is in this answer and nowhere else.',
    auth: 'signed-in',
    body: z.strictObject({
      name: z.string().trim().min(1).max(64),
      scope: tokenScope.default('read'),
      ttlSeconds: z
        .number()
        .int()
        .min(60)
        .max(MAX_TTL_SECONDS)
        .default(30 * 86_400),
    }),
    reply: apiToken.extend({ token: z.string() }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/apitokens/:id',
    summary: 'Takes a token back: it is worth nothing from here on.',
    auth: 'signed-in',
    reply: ack,
  },
});
