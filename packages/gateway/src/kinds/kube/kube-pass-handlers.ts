/** Answers programs of whoever is signed in that want a pass for a Kubernetes cluster. */
import type { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubePassGiven } from '@gatehouse/contract/kinds/kube/kube-pass-events';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { proveFactor } from '../../sessions/tcp/give-pass.ts';
import type { KubePasses } from './kube-passes.ts';
import { findSeenKube } from './listed-kube.ts';

export interface KubePassHandlerDeps {
  db: Db;
  access: AccessControl;
  identity: Pick<Identity, 'callerOf' | 'proveAgain'>;
  audit: Audit;
  passes: Pick<KubePasses, 'give'>;
  now: () => number;
}

export function kubePassHandlers(deps: KubePassHandlerDeps): Handlers<typeof kubePassRoutes> {
  const { db, access, identity, audit, passes, now } = deps;
  return {
    async give({ actor, cluster, params: { name }, body: { factor }, exchange }) {
      const { resource } = await findSeenKube({ ...deps, clusterName: cluster }, actor, name);
      if (actor.isOwner) throw new AppError('denied', 'a pass belongs to a sign-in: sign in first');
      const connect = { type: 'connect', kind: 'kube', resource, groups: [] } as const;
      access.require(actor, connect);
      const caller = identity.callerOf(actor);
      const { requireMfa } = sessionOptions(access.of(actor));
      if (requireMfa) {
        await proveFactor(deps, actor, exchange, factor);
        // Proving took a while: what was allowed before may not be any more.
        access.require(await caller.now(), connect);
      }
      const { token, expires } = await db.transaction().execute(async (tx) => {
        const given = await passes.give(tx, caller, resource, requireMfa);
        const told = { expires: new Date(given.expires).toISOString(), factor_proven: requireMfa };
        const { username: user, signInId } = caller;
        await audit.emit(
          tx,
          kubePassGiven,
          { user, name: resource.name, 'addr.remote': exchange.address, ...told },
          { signInId },
        );
        return given;
      });
      const seconds = Math.floor((expires - now()) / 1000);
      return { token, expires: new Date(expires).toISOString(), seconds };
    },
  };
}
