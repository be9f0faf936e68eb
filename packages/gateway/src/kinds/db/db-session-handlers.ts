/** Answers the calls beside the bytes of a session: a second factor for connections, and cancelling what runs. */
import type { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { findSeenDb, type OpenDbDeps } from './open-db.ts';

export interface DbSessionHandlerDeps extends OpenDbDeps {
  access: AccessControl;
  identity: Pick<Identity, 'proveAgain'>;
}

export function dbSessionHandlers(
  deps: DbSessionHandlerDeps,
): Pick<Handlers<typeof databaseRoutes>, 'pass' | 'cancel'> {
  const { access, identity, passes, keys } = deps;
  return {
    async pass({ actor, cluster, params: { name }, body: { factor }, exchange }) {
      const { resource } = await findSeenDb({ ...deps, clusterName: cluster }, actor, name);
      if (actor.isOwner || !sessionOptions(access.of(actor)).requireMfa) return { pass: '' };
      if (!factor) throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
      await identity.proveAgain(actor, { code: factor.code, key: factor.key }, exchange);
      return { pass: passes.give({ signIn: actor.signInId, kind: 'db', name: resource.name }) };
    },
    async cancel({ actor, cluster, params: { name }, body: { key } }) {
      await findSeenDb({ ...deps, clusterName: cluster }, actor, name);
      // The key is a secret of the client's own: whoever has it may.
      await keys.cancel(Buffer.from(key, 'hex'));
      return OK;
    },
  };
}
