/** Answers the calls of tokens for scripts. */

import type { ApiToken, apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { apiTokenCreated, apiTokenDeleted } from '@gatehouse/contract/audit/account-events';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { requirePerson } from '../account/own-account.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { LastActive } from '../sign-in/last-active.ts';
import { requireStillSignedIn } from '../sign-in/still-signed-in.ts';
import { requireFreshToOutlive } from '../step-up/recent-proof.ts';
import { issueCredential } from '../stores/sign-in-secrets.ts';
import { endSignIn, insertSignIn, listSignIns, type SignIn } from '../stores/sign-in-store.ts';

const MAX_TOKENS = 100;

interface ApiTokenDeps extends IdentityDeps {
  lastActive: LastActive;
}

export function apiTokenHandlers(deps: ApiTokenDeps): Handlers<typeof apiTokenRoutes> {
  const { db, now, audit, cache, lastActive } = deps;
  const tokensOf = async (user: string, from: Db = db) =>
    (await listSignIns(from, user, now())).filter(({ kind }) => kind === 'token');
  return {
    async list({ actor }) {
      const tokens = await tokensOf(actor.username);
      return tokens.map((token) => toItem({ ...token, lastActive: lastActive.of(token) }));
    },

    async create({ actor, body, exchange }) {
      requirePerson(actor);
      const expires = now() + body.ttlSeconds * 1000;
      await requireFreshToOutlive(deps, actor, expires);
      return db.transaction().execute(async (tx) => {
        await requireStillSignedIn(tx, actor, now());
        // Of many at once, each must count those before it.
        await holdLock(tx, `tokens of ${actor.username}`, 'alone');
        const held = await tokensOf(actor.username, tx);
        if (held.length >= MAX_TOKENS)
          throw new AppError('conflict', `you have ${MAX_TOKENS} tokens: remove one first`);
        if (held.some(({ name }) => name === body.name))
          throw new AppError('conflict', `you have a token named '${body.name}' already`, {
            fields: { field: 'name' },
          });
        const signIn = await insertSignIn(tx, {
          user: actor.username,
          kind: 'token',
          name: body.name,
          scope: body.scope,
          now: now(),
          expires,
          address: exchange.address,
          userAgent: exchange.userAgent,
        });
        const token = await issueCredential(tx, signIn);
        const scope = typeof body.scope === 'string' ? body.scope : JSON.stringify(body.scope);
        const fields = { user: actor.username, name: body.name, expires: new Date(expires).toISOString(), scope };
        await audit.emit(tx, apiTokenCreated, fields, contextOf(actor, exchange));
        return { ...toItem(signIn), token };
      });
    },

    async remove({ actor, params: { id }, exchange }) {
      requirePerson(actor);
      const token = (await tokensOf(actor.username)).find((candidate) => candidate.id === id);
      if (!token) throw notFound('token', id);
      await db.transaction().execute(async (tx) => {
        await endSignIn(tx, id, 'ended_by_user', now());
        const fields = { user: actor.username, name: token.name };
        await audit.emit(tx, apiTokenDeleted, fields, contextOf(actor, exchange));
      });
      cache.dropSignIn(id);
      return OK;
    },
  };
}

function toItem({ id, name, scope, created, expires, lastActive }: SignIn): ApiToken {
  return {
    id,
    name,
    scope,
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
    ...(lastActive > created ? { lastActive: new Date(lastActive).toISOString() } : {}),
  };
}
