/** Answers the calls that show and end what is signed in, and that show and lift locks. */

import { lockOutLifted, signInEndedByOther, userSignedOut } from '@gatehouse/contract/audit/sign-in-events';
import type { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import type { SignInItem, signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { OK } from '@gatehouse/contract/wire/ack';
import { mayReach, requireReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { describeUserAgent } from '../sign-in/describe-user-agent.ts';
import { liftLockOut, listLockOuts } from '../sign-in/failures.ts';
import type { LastActive } from '../sign-in/last-active.ts';
import { holdUsers } from '../stores/administrators.ts';
import { endSignIn, findSignIn, isAlive, listSignIns, type SignIn } from '../stores/sign-in-store.ts';
import { findUser } from '../stores/user-store.ts';
import { requirePerson } from './own-account.ts';

interface SignInsDeps extends IdentityDeps {
  lastActive: LastActive;
}

export function signInsHandlers(deps: SignInsDeps): Handlers<typeof signInsRoutes> {
  const { db, now, audit, cache, lastActive, access } = deps;

  const listOf = async (user: string, actor: Actor): Promise<SignInItem[]> => {
    const alive = await listSignIns(db, user, now());
    return alive.map((signIn) => toItem({ ...signIn, lastActive: lastActive.of(signIn) }, actor));
  };

  const endInside = async (tx: Tx, signIn: SignIn, actor: Actor, exchange: Exchange) => {
    if (!(await endSignIn(tx, signIn.id, 'ended_by_administrator', now()))) return;
    const fields = { user: actor.username, name: signIn.user, sign_in_kind: signIn.kind };
    await audit.emit(tx, signInEndedByOther, fields, { signInId: signIn.id, address: exchange.address });
  };

  return {
    list: ({ actor }) => listOf(actor.username, actor),

    async end({ actor, params: { id }, exchange }) {
      requirePerson(actor);
      const signIn = await ownedBy(actor.username, id);
      const reason = id === actor.signInId ? 'signed_out' : 'ended_by_user';
      await db.transaction().execute(async (tx) => {
        if (!(await endSignIn(tx, id, reason, now()))) return;
        const fields = { user: actor.username, sign_in_kind: signIn.kind, reason };
        await audit.emit(tx, userSignedOut, fields, { signInId: id, address: exchange.address });
      });
      cache.dropSignIn(id);
      if (id === actor.signInId) exchange.clearCookie('session');
      return OK;
    },

    async listOfUser({ actor, params: { username } }) {
      await requireUser(actor, 'read', username);
      return listOf(username, actor);
    },

    async endAllOfUser({ actor, params: { username }, exchange }) {
      await requireUser(actor, 'update', username);
      const ended = await db.transaction().execute(async (tx) => {
        // Of a token that is made by one of them in this moment: it is here already, or its maker finds itself ended.
        await holdUsers(tx);
        const alive = await listSignIns(tx, username, now());
        for (const signIn of alive) await endInside(tx, signIn, actor, exchange);
        return alive;
      });
      for (const { id } of ended) cache.dropSignIn(id);
      return OK;
    },

    async endOfUser({ actor, params: { username, id }, exchange }) {
      await requireUser(actor, 'update', username);
      const signIn = await ownedBy(username, id);
      await db.transaction().execute((tx) => endInside(tx, signIn, actor, exchange));
      cache.dropSignIn(id);
      return OK;
    },
  };

  async function requireUser(actor: Actor, verb: 'read' | 'update', name: string): Promise<void> {
    requireReach(access, { actor, verb, kind: 'user', name }, await findUser(db, name));
  }

  /** Somebody else's is not found, as one that never was. */
  async function ownedBy(user: string, id: string): Promise<SignIn> {
    const signIn = await findSignIn(db, id);
    if (!signIn || signIn.user !== user || !isAlive(signIn, now())) throw notFound('sign-in', id);
    return signIn;
  }
}

export function lockOutHandlers({ db, now, audit, access }: IdentityDeps): Handlers<typeof lockOutRoutes> {
  return {
    async list({ actor }) {
      const locks = await listLockOuts(db, now());
      // The names are those that were typed; whoever may not know a user may not know that somebody tried.
      const known = locks.filter(({ name }) => mayReach(access, actor, 'list', 'user', name));
      return known.map(({ since, until, ...lock }) => ({
        ...lock,
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
      }));
    },
    async lift({ actor, params: { name }, exchange }) {
      await db.transaction().execute(async (tx) => {
        // Asked before anything is changed, and told in the same words.
        if (!mayReach(access, actor, 'update', 'user', name) || !(await liftLockOut(tx, name)))
          throw notFound('lock', name);
        const context = contextOf(actor, exchange);
        await audit.emit(tx, lockOutLifted, { user: actor.username, name }, context);
      });
      return OK;
    },
  };
}

function toItem(signIn: SignIn, actor: Actor): SignInItem {
  const { id, kind, name, address, userAgent, created, lastActive, expires } = signIn;
  return {
    id,
    kind,
    device: name || describeUserAgent(userAgent),
    address,
    created: new Date(created).toISOString(),
    lastActive: new Date(lastActive).toISOString(),
    expires: new Date(expires).toISOString(),
    current: id === actor.signInId,
  };
}
