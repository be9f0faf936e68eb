/** Locks: somebody or something that may not be used until the lock is lifted or runs out. */
import { z } from 'zod';
import { type KindLockTarget, rows } from '../../kinds/kinds.ts';
import { ack } from '../../wire/ack.ts';
import { listOf } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';

/** What can be locked. A role locks everybody who holds it; a login is locked on every resource. */
export type LockTarget = 'user' | 'role' | 'login' | 'agent' | KindLockTarget;
const lockableKinds = rows.flatMap(({ lockTarget }) => lockTarget ?? []) as KindLockTarget[];
export const LOCK_TARGETS: readonly LockTarget[] = ['user', 'role', 'login', ...lockableKinds, 'agent'];

const targetName = z.string().trim().min(1).max(256);

export const lockItem = z.object({
  name: z.string(),
  targets: z.partialRecord(z.enum(LOCK_TARGETS), z.string()),
  message: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  /** Empty: until it is lifted. */
  expires: z.string(),
  /** Told once, by the call that made it: what it ended. */
  ended: z
    .object({
      /** Browsers and command lines that were signed out. */
      signIns: z.number().int(),
      sessions: z.number().int(),
      /** Those that had not ended when the call was answered. */
      stillOpen: z.number().int(),
    })
    .optional(),
});
export type LockItem = z.output<typeof lockItem>;

/** The `fields` of the refusal when nothing has the name: what was asked, and what was probably meant. */
export const unknownTarget = z.object({
  unknownTarget: z.object({ kind: z.enum(LOCK_TARGETS), name: z.string(), meant: z.string().optional() }),
});

const MAX_TTL_SECONDS = 3660 * 86_400;

export const lockRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/locks',
    summary: 'The locks in force.',
    auth: 'signed-in',
    needs: ['locks', 'list'],
    reply: listOf(lockItem),
  },
  create: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/locks',
    summary: 'Locks a user, role, login, server, database, desktop or agent, and ends what is open.',
    auth: 'signed-in',
    needs: ['locks', 'create'],
    body: z.object({
      targets: z
        .partialRecord(z.enum(LOCK_TARGETS), targetName)
        .refine((targets) => Object.keys(targets).length === 1, 'must name exactly one target'),
      message: z.string().trim().max(500).default(''),
      /** Also when nothing has this name, as far as the caller may know; otherwise that is a `conflict` with `unknownTarget`. */
      force: z.boolean().default(false),
      ttlSeconds: z.number().int().min(1).max(MAX_TTL_SECONDS).optional(),
    }),
    reply: lockItem,
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/locks/:name',
    summary: 'Lifts a lock.',
    auth: 'signed-in',
    needs: ['locks', 'remove'],
    reply: ack,
  },
});
