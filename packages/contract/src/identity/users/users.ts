/** Users as administrators see them, and inviting new ones. */
import { z } from 'zod';
import { defineRoutes } from '../../wire/route.ts';
import { TRAITS } from './traits.ts';

/** Not beginning with a dash: such names are the gateway's own. */
export const newUserName = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\s/\\:-][^\s/\\:]*$/u, 'must not hold spaces, slashes or colons, nor begin with a dash')
  .regex(/^[\P{C}]*$/u, 'holds invisible characters');

const traitValues = z.array(z.string().trim().min(1).max(256)).max(256);
export const traits = z.partialRecord(z.enum(TRAITS), traitValues);

/** A `passkey` signs in by itself, without a password. */
export const FACTORS = ['app', 'key', 'passkey'] as const;
export type Factor = (typeof FACTORS)[number];

export const userItem = z.object({
  name: z.string(),
  roles: z
    .array(z.string())
    .nullable()
    .transform((roles) => roles ?? []),
  authType: z.string(),
  /** Ours: the connector that gave them what they held, where they are nobody at it any more: it was deleted, or they were unlinked. */
  formerConnector: z.string().optional(),
  /** The connector that gave what they held, which is switched off, where no other one lets them in. */
  closedConnector: z.string().optional(),
  /** Ours: what the user proves a second factor with, each kind once. */
  factors: z.array(z.enum(FACTORS)).optional(),
  /** Ours: no way to sign in was ever set up, so the invite is still open or has run out. */
  invited: z.boolean().optional(),
  /** Ours; absent: never. */
  lastSignIn: z.string().optional(),
});
export type UserItem = z.output<typeof userItem>;

/** How long the link of an invited user works unless somebody says otherwise, wherever it is made. */
export const INVITE_HOURS = 24;

export const userRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/users',
    summary: 'All users.',
    auth: 'signed-in',
    needs: ['users', 'list'],
    reply: z.array(userItem),
  },
  invite: {
    method: 'POST',
    path: '/v1/webapi/users/invite',
    summary: 'Makes a user and the link with which they set their credentials.',
    auth: 'signed-in',
    needs: ['users', 'create'],
    body: z.strictObject({
      name: newUserName,
      roles: z.array(z.string().min(1).max(128)).min(1).max(64),
      traits: traits.default({}),
      ttlSeconds: z
        .number()
        .int()
        .min(60)
        .max(48 * 3600)
        .default(INVITE_HOURS * 3600),
    }),
    reply: z.object({
      name: z.string(),
      inviteUrl: z.string(),
      expires: z.string(),
      /** What of it gives nothing, and why. */
      notes: z.array(z.string()).optional(),
    }),
  },
});
