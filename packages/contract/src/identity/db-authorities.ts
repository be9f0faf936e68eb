/** The authorities of databases, and how new ones follow them. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

/** `db` signs servers, `db_client` the gateway's own sign-ins to them, `db_door` people at native doors: a key of one opens nothing of another. */
export const DB_PURPOSES = ['db', 'db_client', 'db_door'] as const;
export type DbPurpose = (typeof DB_PURPOSES)[number];

const DAY_SECONDS = 86_400;

/**
 * How long a new one is announced before it signs, and how long those before it stay then. Databases must be given a new `db_client`
 * before it signs; certificates by `db` are good for three months; those by `db_door` for twelve hours, and only gateways look at them.
 */
export const DB_ROTATIONS: Readonly<Record<DbPurpose, { announceSeconds: number; overlapSeconds: number }>> = {
  db: { announceSeconds: 0, overlapSeconds: 100 * DAY_SECONDS },
  db_client: { announceSeconds: 30 * DAY_SECONDS, overlapSeconds: DAY_SECONDS },
  db_door: { announceSeconds: 0, overlapSeconds: DAY_SECONDS },
};

export const dbAuthority = z.object({
  id: z.string(),
  purpose: z.enum(DB_PURPOSES),
  /** PEM. */
  certificate: z.string(),
  /** SHA-256 of the certificate. */
  fingerprint: z.string(),
  created: z.string(),
  /** `announced`: trusted, and signs from `until` on. `signing`: certificates carry its signature. `leaving`: trusted until `until`. */
  state: z.enum(['announced', 'signing', 'leaving']),
  until: z.string().optional(),
});
export type DbAuthority = z.output<typeof dbAuthority>;

const seconds = z
  .number()
  .int()
  .min(0)
  .max(366 * DAY_SECONDS);

export const dbAuthorityRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/dbauthorities',
    summary: 'The authorities of databases that are in force, with their certificates.',
    auth: 'public',
    reply: z.array(dbAuthority),
  },
  rotate: {
    method: 'POST',
    path: '/v1/webapi/dbauthorities/rotate',
    summary:
      'Makes a new authority for one purpose: announced first, then signing, and those before it leave when the overlap is over.',
    auth: 'signed-in',
    needs: ['trustedClusters', 'edit'],
    body: z.strictObject({
      purpose: z.enum(DB_PURPOSES),
      announceSeconds: seconds.optional(),
      overlapSeconds: seconds.optional(),
    }),
    reply: z.array(dbAuthority),
  },
});
