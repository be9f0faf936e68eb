/** Keeps what was missing whenever a signed-in caller is refused, under the id of the request that the caller is shown. */

import { ACL_GROUPS } from '@gatehouse/contract/access/acl';
import type { ApiRoute } from '@gatehouse/contract/api/api';
import { allRoutes } from '@gatehouse/contract/api/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RULE_VERB_OF } from '../../access/acl-of.ts';
import type { Action } from '../../access/action.ts';
import { ActionDenied } from '../../access/action-denied.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { AccessQueryDeps } from './access-query-deps.ts';
import { insertDenial, sweepDenials } from './denial-store.ts';
import { explainAccess } from './explain-access.ts';
import type { Refusals } from './tell-refusals.ts';

/** A page that is refused again and again must not fill the store. */
const MAX_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const SWEEP_EVERY = 100;
/** Ids of requests that are under way. */
const MAX_KNOWN = 1_000;

export interface RefusedCall {
  /** What the caller is shown: the id of the request. */
  id: string;
  actor: Actor;
  /** Method and address pattern, or the page. */
  call: string;
  message: string;
  /** What was asked of the roles, where it is known. */
  action?: Action | undefined;
}

export interface Denials {
  /** False: it was recorded before, by who refused it. */
  record(refused: RefusedCall): Promise<boolean>;
}

export function createDenials({ db, access, now }: AccessQueryDeps): Denials {
  let written = 0;
  const known = new Set<string>();
  let minute = 0;
  let counts = new Map<string, number>();

  function mayWrite(user: string): boolean {
    const current = Math.floor(now() / MINUTE_MS);
    if (current !== minute) counts = new Map();
    minute = current;
    const count = (counts.get(user) ?? 0) + 1;
    counts.set(user, count);
    return count <= MAX_PER_MINUTE;
  }

  return {
    async record({ id, actor, call, message, action }) {
      if (known.has(id)) return false;
      known.add(id);
      if (known.size > MAX_KNOWN) known.delete(known.values().next().value as string);
      if (actor.isOwner || !mayWrite(actor.username)) return true;
      const { username, roles, traits } = actor;
      const why =
        action &&
        explainAccess(access, {
          subject: { username, roles, traits },
          action,
          readsRoles: false,
          readsLock: () => false,
          now: now(),
        });
      const { reasons = [], change = [], asked = '' } = why ?? {};
      // A token may be narrower than its user: then nothing of the roles was missing.
      const missing = why?.allowed ? { reasons: [], change: [] } : { reasons, change };
      await insertDenial(
        db,
        { id, user: username, roles: roles.toSorted(), call, message: message.slice(0, 1000), asked, ...missing },
        now(),
      );
      written += 1;
      if (written % SWEEP_EVERY === 1) await sweepDenials(db, now());
      return true;
    },
  };
}

/** Before the answer goes out, so that its id can be looked up at once. */
export function recordDenials(app: FastifyInstance, denials: Denials, refusals: Refusals): void {
  const routes = new Map(allRoutes().map(({ route }) => [`${route.method} ${route.path}`, route]));
  app.addHook('onError', async (request, _reply, error: Error) => {
    const { actor } = request;
    if (!actor || !(error instanceof AppError) || error.code !== 'denied') return;
    const call = callOf(request);
    const action = error instanceof ActionDenied ? error.action : missingVerb(actor, routes.get(call));
    try {
      const { message } = error;
      const { username, signInId } = actor;
      // A session that is refused has an event of its own.
      if (await denials.record({ id: request.id, actor, call, message, action }))
        await refusals.refused({ id: request.id, who: { username, signInId }, address: request.ip, call, message });
    } catch (failure) {
      request.log.error({ error: failure }, 'a refused call could not be kept');
    }
  });
}

function callOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? ''}`;
}

function missingVerb(actor: Actor, route: ApiRoute | undefined): Action | undefined {
  if (!route?.needs) return undefined;
  const [group, verb] = route.needs;
  if (actor.acl[group][verb]) return undefined;
  return { type: 'verb', resource: ACL_GROUPS[group], verb: RULE_VERB_OF[verb] };
}
