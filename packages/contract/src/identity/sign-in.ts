/** Signing in with a password, renewing, signing out. A sign-in is a browser's authenticated state; a session is a live connection to a resource. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';

/** What a browser holds after signing in: the bearer that goes beside the session cookie. */
export const signInReply = z.object({
  type: z.literal('Bearer'),
  token: z.string(),
  /** Seconds the token lives. */
  expires_in: z.number().int(),
  sessionExpires: z.string(),
  /** Milliseconds; 0 means no inactivity timeout. */
  sessionInactiveTimeout: z.number().int(),
  /** Whose it is: a browser has one cookie for all its tabs. */
  user: z.string().optional(),
});
export type SignInReply = z.output<typeof signInReply>;

export const userName = z.string().min(1).max(256);
/** Bounded before it is hashed: a megabyte of password is an attack, not a password. */
export const password = z.string().max(1024);
export const oneTimeCode = z.string().max(16);
/** The secret part of invite, reset, recovery and privilege links. */
export const tokenId = z.string().min(1).max(128);

/** Milliseconds since the user last did something. */
export const idleMs = z.coerce
  .number()
  .int()
  .min(0)
  .max(30 * 86_400_000);

export const signInRoutes = defineRoutes({
  signIn: {
    method: 'POST',
    path: '/v1/webapi/sessions/web',
    summary: 'Signs in with user name, password and, where asked, a one-time code.',
    auth: 'public',
    csrf: 'always',
    limited: true,
    body: z.object({ user: userName, pass: password, second_factor_token: oneTimeCode.optional() }),
    reply: signInReply,
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/webapi/sessions/web',
    summary: 'Signs out: cookie and bearer are worth nothing from here on.',
    auth: 'signed-in',
    // A browser that slept longer than its bearer lives must be able to end what its cookie still opens.
    cookieAlone: true,
    reply: ack,
  },
  renew: {
    method: 'POST',
    path: '/v1/webapi/sessions/web/renew',
    summary: 'Gives a fresh cookie and bearer for the same sign-in.',
    auth: 'signed-in',
    body: z.object({
      requestId: z.string().max(128).optional(),
      switchback: z.boolean().optional(),
      reloadUser: z.boolean().optional(),
    }),
    reply: signInReply,
  },
  status: {
    method: 'GET',
    path: '/v1/webapi/user/status',
    summary: 'Says ok while the sign-in is alive.',
    auth: 'signed-in',
    /** Ours: milliseconds since the user last did something, so that polling does not count as activity. */
    query: z.object({ idleMs: idleMs.optional() }),
    /** Ours, for who says how long they rested: how long nobody used the sign-in anywhere, applications and other browsers' tabs counted. */
    reply: ack.extend({ idleMs: z.number().int().min(0).optional() }),
  },
});
