/** Answers the calls that make, list and lift locks. */

import type { LockItem, lockRoutes } from '@gatehouse/contract/access/locks/locks';
import type { RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../access/create-access.ts';
import { type Lock, listLocks } from '../../access/lock-store.ts';
import { requireEver } from '../../access/reach.ts';
import { seesLock } from '../../access/sees-lock.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { keepingAnAdministrator } from '../stores/administrators.ts';
import { countEnded, type LockedSessions } from './count-ended.ts';
import { lockTarget, lockTargetFields, requireHold, requireLift } from './enforce-lock.ts';
import { type KnownAgents, requireKnown, requireStillCalled } from './known-target.ts';
import { liftLock, lockExpiry, makeLock } from './make-lock.ts';

export interface LockDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  now: () => number;
  sessions: LockedSessions;
  agents: KnownAgents;
}

export function lockHandlers(deps: LockDeps): Handlers<typeof lockRoutes> {
  const { db, access, audit, now, sessions, agents } = deps;
  const admit = (actor: Actor, verb: RuleVerb) => requireEver(access, actor, verb, 'lock');

  const doing = (actor: Actor, address: string) => ({
    actor,
    audit,
    now: now(),
    context: { signInId: actor.signInId, address },
  });

  return {
    async list({ actor }) {
      admit(actor, 'list');
      const locks = await listLocks(db, now());
      return locks.filter((lock) => seesLock(access, actor, 'list', lock)).map(toItem);
    },

    async create({ actor, cluster, body: { targets, message, ttlSeconds, force }, exchange }) {
      admit(actor, 'create');
      // It has no name yet that a condition could ask for.
      access.require(actor, { type: 'verb', resource: 'lock', verb: 'create', object: { kind: 'lock' } });
      const target = lockTarget(targets);
      const expires = ttlSeconds === undefined ? undefined : now() + ttlSeconds * 1000;
      // Who may not lock it is not told whether it is there.
      await db.transaction().execute((tx) => requireHold(tx, { access, actor }, target));
      if (!force) await requireKnown({ db, access, actor, clusterName: cluster, agents }, target);
      const open = await sessions.listOpen();
      const { lock, signIns } = await db.transaction().execute(async (tx) => {
        await requireHold(tx, { access, actor }, target);
        const made = await keepingAnAdministrator(tx, { now: now(), what: `${target.kind} '${target.name}'` }, () =>
          makeLock(tx, doing(actor, exchange.address), { target, message, expires }),
        );
        if (!force) await requireStillCalled(tx, cluster, target);
        return made;
      });
      await access.refreshLocks();
      const ended = await countEnded({ db, access, sessions }, open, lock);
      return { ...toItem(lock), ended: { signIns, ...ended } };
    },

    async remove({ actor, params: { name }, exchange }) {
      admit(actor, 'delete');
      await db.transaction().execute(async (tx) => {
        const lock = (await listLocks(tx, now())).find(({ id }) => id === name);
        if (!lock || !seesLock(access, actor, 'delete', lock)) throw notFound('lock', name);
        await requireLift(tx, { access, actor }, lock);
        await liftLock(tx, doing(actor, exchange.address), lock);
      });
      await access.refreshLocks();
      return OK;
    },
  };
}

function toItem(lock: Lock): LockItem {
  return {
    name: lock.id,
    targets: lockTargetFields(lock.target),
    message: lock.message,
    createdAt: new Date(lock.created).toISOString(),
    createdBy: lock.createdBy,
    expires: lockExpiry(lock).expires ?? '',
  };
}
