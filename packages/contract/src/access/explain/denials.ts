/** Calls that were refused, kept for a while so that an administrator can look up what was missing by the id the user was shown. */
import { z } from 'zod';
import { defineRoutes } from '../../wire/route.ts';
import { change, reason } from './explain.ts';

export const denial = z.object({
  /** The `requestId` of the error body. */
  id: z.string(),
  time: z.string(),
  expires: z.string(),
  user: z.string(),
  /** Those the user held at that moment. */
  roles: z.array(z.string()),
  /** The call or the page: method and address, without the names in it. */
  call: z.string(),
  /** What the user was told. */
  message: z.string(),
  /** What was asked of the roles, where it is known: `update role`. */
  asked: z.string(),
  reasons: z.array(reason),
  /** What would have let it through, at that moment. */
  change: z.array(change),
});
export type Denial = z.output<typeof denial>;

export const denialRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/access/denials/:id',
    summary: 'Why a call was refused, by the id in its error.',
    auth: 'signed-in',
    needs: ['roles', 'read'],
    reply: denial,
  },
});
