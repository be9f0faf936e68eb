/** Answers the calls that make, list and lift locks. */
import { OK } from '@gatehouse/contract/ack';
import { lockCreated, lockDeleted } from '@gatehouse/contract/audit/lock-events';
import { LOCK_TARGETS, type LockItem, type lockRoutes } from '@gatehouse/contract/locks/locks';
import type { RuleVerb } from '@gatehouse/contract/roles/vocabulary';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { refuseEscalation } from '../access/escalation.ts';
import { deleteLock, insertLock, type Lock, listLocks } from '../access/lock-store.ts';
import type { Audit } from '../audit/emit.ts';
import { endSignInsOf } from '../auth/sign-in/sign-in-store.ts';
import type { Handlers } from '../http/call.ts';
import { notFound } from '../std/app-error.ts';
import type { Db, Tx } from '../storage/tables.ts';
import { keepingAnAdministrator } from '../users/administrators.ts';
import { findUser, listUsers } from '../users/user-store.ts';

export interface LockDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  now: () => number;
  clusterName: string;
}

export function lockHandlers({ db, access, audit, now, clusterName }: LockDeps): Handlers<typeof lockRoutes> {
  const admit = (actor: Actor, verb: RuleVerb, clusterId: string) => {
    if (clusterId !== CURRENT_CLUSTER && clusterId !== clusterName) throw notFound('cluster', clusterId);
    access.require(actor, { type: 'verb', resource: 'lock', verb, object: { kind: 'lock' } });
  };

  /** Locking somebody is acting on them: it takes what they hold. */
  async function requireHold(tx: Tx, actor: Actor, { kind, name }: Lock['target']): Promise<void> {
    if (kind === 'role') refuseEscalation(access, actor, [name]);
    if (kind === 'user') refuseEscalation(access, actor, (await findUser(tx, name))?.roles ?? []);
  }

  /** Tokens are kept for when the lock is lifted; until then they open nothing. */
  async function endOpen(tx: Tx, { kind, name }: Lock['target']): Promise<void> {
    if (kind !== 'user' && kind !== 'role') return;
    const users =
      kind === 'user'
        ? [name]
        : (await listUsers(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
    for (const user of users) await endSignInsOf(tx, user, 'ended_by_administrator', { now: now(), keepTokens: true });
  }

  return {
    async list({ actor, params: { clusterId } }) {
      admit(actor, 'list', clusterId);
      return (await listLocks(db, now())).map(toItem);
    },

    async create({ actor, params: { clusterId }, body: { targets, message, ttlSeconds }, exchange }) {
      admit(actor, 'create', clusterId);
      const kind = LOCK_TARGETS.find((each) => targets[each] !== undefined)!;
      const target = { kind, name: targets[kind]! };
      const expires = ttlSeconds === undefined ? undefined : now() + ttlSeconds * 1000;
      const lock = await db.transaction().execute(async (tx) => {
        await requireHold(tx, actor, target);
        const made = await keepingAnAdministrator(tx, { now: now(), what: `${kind} '${target.name}'` }, () =>
          insertLock(tx, { target, message, expires, created: now(), createdBy: actor.username }),
        );
        await endOpen(tx, target);
        const fields = {
          user: actor.username,
          name: made.id,
          target: { [kind]: target.name },
          message,
          ...expiry(made),
        };
        await audit.emit(tx, lockCreated, fields, { signInId: actor.signInId, address: exchange.address });
        return made;
      });
      await access.refreshLocks();
      return toItem(lock);
    },

    async remove({ actor, params: { clusterId, name }, exchange }) {
      admit(actor, 'delete', clusterId);
      await db.transaction().execute(async (tx) => {
        const lock = (await listLocks(tx, now())).find(({ id }) => id === name);
        if (!lock) throw notFound('lock', name);
        await requireHold(tx, actor, lock.target);
        await deleteLock(tx, name);
        const fields = { user: actor.username, name, target: { [lock.target.kind]: lock.target.name } };
        await audit.emit(tx, lockDeleted, fields, { signInId: actor.signInId, address: exchange.address });
      });
      await access.refreshLocks();
      return OK;
    },
  };
}

function toItem(lock: Lock): LockItem {
  return {
    name: lock.id,
    targets: { [lock.target.kind]: lock.target.name },
    message: lock.message,
    createdAt: new Date(lock.created).toISOString(),
    createdBy: lock.createdBy,
    expires: expiry(lock).expires ?? '',
  };
}

function expiry({ expires }: Lock): { expires?: string } {
  return expires === undefined ? {} : { expires: new Date(expires).toISOString() };
}
