/** Answers the calls beside the bytes of a session: a second factor for connections, and cancelling what runs. */
import type { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../access/create-access.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { givePass } from '../../sessions/tcp/give-pass.ts';
import type { OpenDbDeps } from './open-db.ts';
import { findSeenDb } from './wanted-db.ts';

export interface DbSessionHandlerDeps extends OpenDbDeps {
  access: AccessControl;
  identity: Pick<Identity, 'proveAgain'>;
}

export function dbSessionHandlers(
  deps: DbSessionHandlerDeps,
): Pick<Handlers<typeof databaseRoutes>, 'pass' | 'cancel'> {
  const { keys } = deps;
  return {
    async pass({ actor, cluster, params: { name }, body: { factor }, exchange }) {
      const { resource } = await findSeenDb({ ...deps, clusterName: cluster }, actor, name);
      return await givePass(deps, { actor, exchange }, { kind: 'db', name: resource.name }, factor);
    },
    async cancel({ actor, cluster, params: { name }, body: { key } }) {
      await findSeenDb({ ...deps, clusterName: cluster }, actor, name);
      // The key is a secret of the client's own: whoever has it may.
      await keys.cancel(Buffer.from(key, 'hex'));
      return OK;
    },
  };
}
