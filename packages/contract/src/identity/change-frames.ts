/**
 * What the gateway tells a signed-in console without being asked, over one websocket.
 *
 *   console  hello(token)                within 10 s, or the socket is closed
 *   gateway  ready
 *   gateway  alerts | user | headless | resources | join-progress | approvals   ask again for what you show of it
 *   gateway  ended(reason)               the sign-in is over; the socket closes
 */
import { z } from 'zod';
import { END_REASONS } from './sign-ins.ts';

export const CHANGES_SOCKET = '/v1/webapi/changes';
/** The same of a cluster that is named: what changes in a leaf. That the sign-in is over is for the own cluster to say. */
export const SITE_CHANGES_SOCKET = '/v1/webapi/sites/:clusterId/changes';

/** Why a socket was closed, beyond the usual codes. */
export const CLOSE_CODES = {
  badHello: 4400,
  notSignedIn: 4403,
  signInEnded: 4401,
  /** The cluster it is for is not there, or does not take it. */
  notServed: 4404,
  nothingAsked: 4408,
} as const;

/** The first message on every socket of ours. */
export const socketHello = z.object({ type: z.literal('hello'), token: z.string().min(1).max(256) });
export type SocketHello = z.output<typeof socketHello>;

export const changeFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Alerts were posted or taken back. */
  z.object({ type: z.literal('alerts') }),
  /** The caller's own roles, traits, devices or sign-ins changed. */
  z.object({ type: z.literal('user') }),
  /** A machine without a browser asks the caller for a session, or does not any more. */
  z.object({ type: z.literal('headless') }),
  /** Resources of some kind appeared, changed or went; at most once a second. */
  z.object({ type: z.literal('resources') }),
  /** Something came of a join token that the caller made, or may list; at most once a second. */
  z.object({ type: z.literal('join-progress') }),
  /** Something came of what the caller asked others to allow, or may list of it; at most once a second. */
  z.object({ type: z.literal('approvals') }),
  z.object({ type: z.literal('ended'), reason: z.enum(END_REASONS) }),
]);
export type ChangeFrame = z.output<typeof changeFrame>;
