/** The browsers, command lines and tokens that are signed in as a user: seen and ended by the user, and by administrators. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';

export const SIGN_IN_KINDS = ['browser', 'cli', 'token'] as const;
export type SignInKind = (typeof SIGN_IN_KINDS)[number];

/** Why a sign-in is over. The console tells the user, the audit log the reviewer. */
export const END_REASONS = [
  'signed_out',
  'ended_by_user',
  'ended_by_administrator',
  'inactive',
  'expired',
  'credentials_reset',
  'user_deleted',
  /** The sign-in provider says that they are gone, or its connector is. */
  'ended_by_provider',
  /** It goes on where it was made: a role ties it to that address, and this is another. */
  'other_address',
  /** It stands for one at another cluster, which is not connected any more. */
  'root_lost',
] as const;
export type EndReason = (typeof END_REASONS)[number];

export const signInItem = z.object({
  /** Stable through all renewals. */
  id: z.string(),
  kind: z.enum(SIGN_IN_KINDS),
  /** What the user agent says it is, or the name the user gave. */
  device: z.string(),
  address: z.string(),
  created: z.string(),
  lastActive: z.string(),
  expires: z.string(),
  /** The one that asks. */
  current: z.boolean(),
});
export type SignInItem = z.output<typeof signInItem>;

export const signInsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/signins',
    summary: 'Everything that is signed in as the caller.',
    auth: 'signed-in',
    reply: z.array(signInItem),
  },
  end: {
    method: 'DELETE',
    path: '/v1/webapi/signins/:id',
    summary: 'Ends one of the caller’s own sign-ins.',
    auth: 'signed-in',
    reply: ack,
  },
  listOfUser: {
    method: 'GET',
    path: '/v1/webapi/users/:username/signins',
    summary: 'Everything that is signed in as a user.',
    auth: 'signed-in',
    needs: ['users', 'read'],
    reply: z.array(signInItem),
  },
  endAllOfUser: {
    method: 'DELETE',
    path: '/v1/webapi/users/:username/signins',
    summary: 'Ends every sign-in of a user.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    reply: ack,
  },
  endOfUser: {
    method: 'DELETE',
    path: '/v1/webapi/users/:username/signins/:id',
    summary: 'Ends one sign-in of a user.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    reply: ack,
  },
});
