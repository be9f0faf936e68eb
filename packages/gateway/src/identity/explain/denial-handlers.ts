/** Answers why a call was refused, by the id its caller was shown. */
import type { denialRoutes } from '@gatehouse/contract/access/explain/denials';
import type { Handlers } from '../../platform/http/call.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { AccessQueryDeps } from './access-query-deps.ts';
import { findDenial } from './denial-store.ts';

export function denialHandlers(deps: AccessQueryDeps): Handlers<typeof denialRoutes> {
  const { db, access, now } = deps;
  return {
    async get({ actor, params: { id } }) {
      access.require(actor, { type: 'verb', resource: 'role', verb: 'read' });
      const found = await findDenial(db, id, now());
      const object = { kind: 'user', name: found?.user ?? '' };
      if (!found || !access.decide(actor, { type: 'verb', resource: 'user', verb: 'read', object }).allowed)
        throw notFound('refused call', id);
      return found;
    },
  };
}
