/** Names that are locked after too many failed sign-ins, and lifting that. */
import { z } from 'zod';
import { ack } from '../wire/ack.ts';
import { defineRoutes } from '../wire/route.ts';

export const lockOut = z.object({
  name: z.string(),
  since: z.string(),
  until: z.string(),
  /** Failures that led to it. */
  failures: z.number().int(),
  /** Where the last failure came from. */
  address: z.string(),
});
export type LockOut = z.output<typeof lockOut>;

export const lockOutRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/lockouts',
    summary: 'Names locked after failed sign-ins.',
    auth: 'signed-in',
    needs: ['users', 'list'],
    reply: z.array(lockOut),
  },
  lift: {
    method: 'DELETE',
    path: '/v1/webapi/lockouts/:name',
    summary: 'Lets a locked name sign in again at once.',
    auth: 'signed-in',
    needs: ['users', 'edit'],
    reply: ack,
  },
});
