/**
 * Signing in a command line through the browser.
 *
 *   cli      begin               → requestId, secret, code, url
 *   cli      shows url and code, polls with the secret
 *   browser  opens url, sees who asks from where, compares the code
 *   browser  accept or deny
 *   cli      poll                → its own credential, once
 */
import { z } from 'zod';
import { isLineText, STEERING } from '../std/line-text.ts';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';
import { tokenId } from './sign-in.ts';

export const CLI_LOGIN_STATES = ['pending', 'accepted', 'denied'] as const;

const clientName = z.string().trim().min(1).max(120).refine(isLineText, STEERING);

export const cliLoginDetails = z.object({
  requestId: z.string(),
  state: z.enum(CLI_LOGIN_STATES),
  /** Shown on both sides; they must be the same. */
  code: z.string(),
  /** What the command line calls itself: program and machine. */
  client: z.string(),
  address: z.string(),
  /** It asks from another place than the browser that looks at it. */
  elsewhere: z.boolean(),
  /** A connection of SSH, and what it is for. */
  ssh: z
    .object({
      /** Left out of a jump, which names its server later. */
      server: z.string().optional(),
      login: z.string().optional(),
      /** Fingerprint of the key that it proved, if it did. */
      key: z.string().optional(),
    })
    .optional(),
  /** Programs that come to a Kubernetes cluster, and need a second factor of the caller. */
  kube: z.object({ name: z.string() }).optional(),
  created: z.string(),
  expires: z.string(),
});
export type CliLoginDetails = z.output<typeof cliLoginDetails>;

export const cliLoginRoutes = defineRoutes({
  begin: {
    method: 'POST',
    path: '/v1/webapi/cli/logins',
    summary: 'Asks to sign in a command line; a user confirms it in the browser.',
    auth: 'public',
    limited: true,
    body: z.object({ client: clientName }),
    reply: z.object({
      requestId: z.string(),
      /** Known to the asking command line only. */
      secret: z.string(),
      code: z.string(),
      url: z.string(),
      expires: z.string(),
      pollSeconds: z.number().int(),
    }),
  },
  poll: {
    method: 'POST',
    path: '/v1/webapi/cli/logins/:requestId/poll',
    summary: 'Says whether the request was answered; gives the credential once when it was accepted.',
    auth: 'public',
    body: z.object({ secret: z.string().min(1).max(128) }),
    reply: z.object({
      state: z.enum(CLI_LOGIN_STATES),
      user: z.string().optional(),
      token: z.string().optional(),
      expires: z.string().optional(),
    }),
  },
  details: {
    method: 'GET',
    path: '/v1/webapi/cli/logins/:requestId',
    summary: 'Who asks, from where, and the code to compare.',
    auth: 'signed-in',
    reply: cliLoginDetails,
  },
  answer: {
    method: 'PUT',
    path: '/v1/webapi/cli/logins/:requestId',
    summary: 'Accepts or denies a command line’s request to act as the caller; accepting takes a recent proof.',
    auth: 'signed-in',
    body: z.object({
      action: z.enum(['accept', 'deny']),
      /** A privilege token, where the answer without one was `mfa_required`. */
      tokenId: tokenId.optional(),
      /** Of a connection of SSH: its key is let in from there until the browser signs out. */
      keepKey: z.boolean().optional(),
    }),
    reply: ack,
  },
});
