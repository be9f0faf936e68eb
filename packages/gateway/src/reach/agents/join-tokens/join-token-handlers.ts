/** Answers the calls that make, list and take back join tokens. */
import { randomUUID } from 'node:crypto';
import type { RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, MATCHED_ROW, rows } from '@gatehouse/contract/kinds/kinds';
import { joinTokenCreated, joinTokenDeleted } from '@gatehouse/contract/kinds/node/server-events';
import {
  DEFAULT_TTL_SECONDS,
  IAM_TTL_SECONDS,
  type JoinToken,
  type joinTokenRoutes,
  RESOURCE_ID_LABEL,
} from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { TokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { isHiddenLabel, visibleLabels } from '@gatehouse/contract/std/labels';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Body } from '@gatehouse/contract/wire/route';
import type { AccessControl } from '../../../access/create-access.ts';
import { mayEverReach, mayReach, requireEver } from '../../../access/reach.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import { newToken } from '../../../platform/crypto/tokens.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { type NamedThing, namedIn } from '../install/installable.ts';
import { commandsFor } from './commands-for.ts';
import { groupFor } from './group-for.ts';
import { findAgain, iamNameFor, methodOf, ruleText } from './iam-token.ts';
import { fetchCommand, type GatewayEndpoint, joinEndpoint } from './install-command.ts';
import { readAttempts } from './join-attempt-store.ts';
import {
  deleteJoinToken,
  findJoinTokenById,
  insertJoinToken,
  listJoinTokens,
  type StoredJoinToken,
} from './join-token-store.ts';
import { patternsIn } from './may-offer.ts';

const TOKEN_BYTES = 16;

const UNCHECKED =
  "the rules of 'allow' are kept with the token, but no machine is checked by them: whoever has the token can join with it";

export interface JoinTokenHandlerDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'of' | 'require'>;
  clusterName: string;
  audit: Audit;
  now: () => number;
  place: GatewayEndpoint;
}

export function joinTokenHandlers(deps: JoinTokenHandlerDeps): Handlers<typeof joinTokenRoutes> {
  const { db, audit, now, place, access } = deps;
  const admit = (actor: Actor, verb: RuleVerb) => requireEver(access, actor, verb, 'token');

  /** Of any that are entered: a right under a condition is none to those that nobody knows yet. */
  const requireMatched = (actor: Actor, verb: RuleVerb) => {
    const { document: resource } = MATCHED_ROW;
    access.require(actor, { type: 'verb', resource, verb, object: { kind: resource, name: '', labels: {} } });
  };

  return {
    async create({ actor, body, exchange }) {
      // It has no name yet that a condition could ask for.
      access.require(actor, { type: 'verb', resource: 'token', verb: 'create', object: { kind: 'token' } });
      const method = methodOf(body);
      const hidden = Object.keys(body.labels).find(isHiddenLabel);
      if (hidden !== undefined) throw new AppError('bad_request', `the label '${hidden}' is the gateway's own`);
      const { suggested_agent_matcher_labels, hosts = [] } = body;
      const matcherLabels = suggested_agent_matcher_labels ?? {};
      const matches = Object.keys(matcherLabels).length > 0;
      const { noun, joinRole } = MATCHED_ROW;
      const isForMatched = body.roles.includes(joinRole);
      if (hosts.length > 0 && !isForMatched)
        throw new AppError('bad_request', `a token that signs for hosts of ${noun}s needs the role '${joinRole}'`);
      // Whoever looks after them carries what passes, and whoever is signed for is believed to be one.
      if (matches && isForMatched) requireMatched(actor, 'update');
      if (hosts.length > 0) requireMatched(actor, 'create');
      const named = namedIn(body);
      const offers = offersOf(body, named);
      const secret = method === 'iam' ? iamNameFor(body, named) : newToken(TOKEN_BYTES);
      const resourceId = randomUUID();
      const labels = { ...body.labels, [RESOURCE_ID_LABEL]: resourceId };
      const roles = [...new Set(body.roles)];
      const { ttlSeconds = method === 'iam' ? IAM_TTL_SECONDS : DEFAULT_TTL_SECONDS } = body;
      const expires = now() + ttlSeconds * 1000;
      const token = await db.transaction().execute(async (tx) => {
        const again = method === 'iam' ? await findAgain(tx, secret, now()) : undefined;
        if (again) return again;
        const group = (await groupFor(tx, deps, actor, { group: body.group, offers })) ?? resourceId;
        const by = { created: now(), createdBy: actor.username };
        const facts = { allow: body.allow ?? [], matcherLabels, hosts, method };
        const given = { roles, labels, ...by, expires, maxUses: body.uses, offers, group, ...facts };
        const made = await insertJoinToken(tx, secret, given);
        const fields = {
          user: actor.username,
          name: made.id,
          roles,
          expires: new Date(expires).toISOString(),
          ...(body.uses === undefined ? {} : { uses: body.uses }),
          ...(method === 'iam' ? { method, allow: body.allow?.map(ruleText) } : {}),
          ...(offers.apps === undefined ? {} : { apps: offers.apps }),
          ...(Object.keys(offers).length === 0 ? {} : { offers }),
          ...(group === resourceId ? {} : { group }),
          ...(hosts.length === 0 ? {} : { hosts }),
          ...(matches ? { matcher_labels: matcherLabels } : {}),
        };
        await audit.emit(tx, joinTokenCreated, fields, contextOf(actor, exchange));
        return made;
      });
      const { origin, pin, warning } = joinEndpoint(place, exchange.origin);
      const warnings = [warning, method === 'token' && body.allow?.length ? UNCHECKED : undefined].filter(
        (each) => each !== undefined,
      );
      return {
        id: secret,
        expiry: new Date(token.expires).toISOString(),
        method,
        suggestedLabels: Object.entries(token.labels).map(([name, value]) => ({ name, value })),
        gatehouse: {
          ...commandsFor(roles, { origin, pin, token: secret, named, method }),
          ...(rows.some(({ fetched, joinRole: role }) => fetched && roles.includes(role))
            ? { fetch: { command: fetchCommand(pin), address: `${origin}/scripts/${secret}` } }
            : {}),
          tokenId: token.id,
          ...(warnings.length === 0 ? {} : { warning: warnings.join('. ') }),
        },
      };
    },

    async list({ actor }) {
      admit(actor, 'list');
      const tokens = await listJoinTokens(db, now());
      return tokens.filter(({ id }) => mayReach(access, actor, 'list', 'token', id)).map(toItem);
    },

    async progress({ actor, params: { id } }) {
      const token = await findJoinTokenById(db, id);
      // Whoever made it, as long as they may make any: what a narrowed token of theirs may not, it may not here. One for AWS is given to
      // everybody who asks for the same, and its id to nobody else.
      const isAsker = token?.method === 'iam' || token?.createdBy === actor.username;
      const isWaiting = isAsker && mayEverReach(access, actor, 'create', 'token');
      if (!token || !(isWaiting || mayReach(access, actor, 'list', 'token', id))) throw notFound('join token', id);
      return {
        ...(await readAttempts(db, id, now())),
        ...usesOf(token),
        expires: new Date(token.expires).toISOString(),
      };
    },

    async remove({ actor, params: { id }, exchange }) {
      admit(actor, 'delete');
      if (!mayReach(access, actor, 'delete', 'token', id)) throw notFound('join token', id);
      await db.transaction().execute(async (tx) => {
        if (!(await deleteJoinToken(tx, id))) throw notFound('join token', id);
        const fields = { user: actor.username, name: id };
        await audit.emit(tx, joinTokenDeleted, fields, contextOf(actor, exchange));
      });
      return OK;
    },
  };
}

/** Whoever names a thing means a token for that one. */
function offersOf(
  { offers = {}, roles }: Body<typeof joinTokenRoutes.create>,
  named: NamedThing | undefined,
): TokenOffers {
  const wrong = rows.find(
    ({ kind, offered, path, joinRole }) =>
      (named?.kind === kind || (offered === 'named' && patternsIn(offers, path))) &&
      !roles.some((role) => role === joinRole),
  );
  if (wrong) throw new AppError('bad_request', `a token for ${wrong.noun}s needs the role '${wrong.joinRole}'`);
  if (!named) return offers;
  const { path } = factsOf(named.kind);
  return { ...offers, [path]: [...new Set([named.values.name, ...(patternsIn(offers, path) ?? [])])] };
}

function usesOf({ maxUses, uses }: Pick<StoredJoinToken, 'maxUses' | 'uses'>) {
  return { ...(maxUses === undefined ? {} : { usesLeft: Math.max(0, maxUses - uses) }), uses };
}

function toItem(token: StoredJoinToken): JoinToken {
  const { id, hint, roles, labels, created, createdBy, expires, maxUses, uses, offers, group } = token;
  const { allow, matcherLabels, hosts, method } = token;
  return {
    id,
    hint,
    roles,
    labels: visibleLabels(labels),
    created: new Date(created).toISOString(),
    createdBy,
    expires: new Date(expires).toISOString(),
    ...usesOf({ maxUses, uses }),
    offers,
    group,
    ...(method === 'token' ? {} : { method }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(Object.keys(matcherLabels).length === 0 ? {} : { suggested_agent_matcher_labels: matcherLabels }),
    ...(hosts.length === 0 ? {} : { hosts }),
  };
}
