/** Answers the calls that make, list and take back join tokens. */
import { randomUUID } from 'node:crypto';
import { OK } from '@gatehouse/contract/ack';
import { joinTokenCreated, joinTokenDeleted } from '@gatehouse/contract/audit/server-events';
import { type JoinToken, type joinTokenRoutes, RESOURCE_ID_LABEL } from '@gatehouse/contract/join-tokens/join-tokens';
import { isHiddenLabel, visibleLabels } from '@gatehouse/contract/labels';
import type { RuleVerb } from '@gatehouse/contract/roles/vocabulary';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import type { Audit } from '../audit/emit.ts';
import { newToken } from '../credentials/tokens.ts';
import type { Handlers } from '../http/call.ts';
import { AppError, notFound } from '../std/app-error.ts';
import type { Db } from '../storage/tables.ts';
import { type GatewayPlace, installCommand, joinPlace } from './install-command.ts';
import { deleteJoinToken, insertJoinToken, listJoinTokens, type StoredJoinToken } from './join-token-store.ts';

const TOKEN_BYTES = 16;

export interface JoinTokenHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'require'>;
  audit: Audit;
  now: () => number;
  place: GatewayPlace;
}

export function joinTokenHandlers(deps: JoinTokenHandlerDeps): Handlers<typeof joinTokenRoutes> {
  const { db, access, audit, now, place } = deps;
  const admit = (actor: Actor, verb: RuleVerb) =>
    access.require(actor, { type: 'verb', resource: 'token', verb, object: { kind: 'token' } });

  return {
    async create({ actor, body, exchange }) {
      admit(actor, 'create');
      if (body.join_method !== 'token') {
        throw new AppError('bad_request', `this gateway knows the join method 'token', not '${body.join_method}'`);
      }
      const hidden = Object.keys(body.labels).find(isHiddenLabel);
      if (hidden !== undefined) throw new AppError('bad_request', `the label '${hidden}' is the gateway's own`);
      if (body.app && !body.roles.includes('App')) {
        throw new AppError('bad_request', "a token for an application needs the role 'App'");
      }
      const secret = newToken(TOKEN_BYTES);
      const labels = { ...body.labels, [RESOURCE_ID_LABEL]: randomUUID() };
      const roles = [...new Set(body.roles)];
      const expires = now() + body.ttlSeconds * 1000;
      const token = await db.transaction().execute(async (tx) => {
        const given = { roles, labels, created: now(), createdBy: actor.username, expires, maxUses: body.uses };
        const made = await insertJoinToken(tx, secret, given);
        const fields = {
          user: actor.username,
          name: made.id,
          roles,
          expires: new Date(expires).toISOString(),
          ...(body.uses === undefined ? {} : { uses: body.uses }),
        };
        await audit.emit(tx, joinTokenCreated, fields, { signInId: actor.signInId, address: exchange.address });
        return made;
      });
      const { origin, pin, warning } = joinPlace(place, exchange.origin);
      return {
        id: secret,
        expiry: new Date(expires).toISOString(),
        method: 'token',
        suggestedLabels: Object.entries(labels).map(([name, value]) => ({ name, value })),
        gatehouse: {
          command: installCommand({ origin, pin, token: secret, app: body.app }),
          openSshCommand: installCommand({ origin, pin, token: secret, openSsh: true }),
          tokenId: token.id,
          ...(warning === undefined ? {} : { warning }),
        },
      };
    },

    async list({ actor }) {
      admit(actor, 'list');
      return (await listJoinTokens(db, now())).map(toItem);
    },

    async remove({ actor, params: { id }, exchange }) {
      admit(actor, 'delete');
      await db.transaction().execute(async (tx) => {
        if (!(await deleteJoinToken(tx, id))) throw notFound('join token', id);
        const fields = { user: actor.username, name: id };
        await audit.emit(tx, joinTokenDeleted, fields, { signInId: actor.signInId, address: exchange.address });
      });
      return OK;
    },
  };
}

function toItem({ id, hint, roles, labels, created, createdBy, expires, maxUses, uses }: StoredJoinToken): JoinToken {
  return {
    id,
    hint,
    roles,
    labels: visibleLabels(labels),
    created: new Date(created).toISOString(),
    createdBy,
    expires: new Date(expires).toISOString(),
    ...(maxUses === undefined ? {} : { usesLeft: Math.max(0, maxUses - uses) }),
    uses,
  };
}
