/** Answers programs of whoever is signed in that want a pass for a Kubernetes cluster. */
import { kubeDoorName, type kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubePassGiven } from '@gatehouse/contract/kinds/kube/kube-pass-events';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { proveFactor } from '../../sessions/tcp/give-pass.ts';
import { requireLeaf } from '../../sessions/tcp/leaf-stream.ts';
import { ELSEWHERE } from './kube-pass-store.ts';
import type { KubePasses } from './kube-passes.ts';
import { findSeenKube } from './listed-kube.ts';

export interface KubePassHandlerDeps {
  clusters: Pick<Clusters, 'find'>;
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
    async give({ actor, cluster, params: { name }, body: { factor, leaf }, exchange }) {
      if (leaf !== undefined) return await leadTo(await requireLeaf(deps.clusters, actor, leaf), actor, name, exchange);
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
      return await give(caller, resource, requireMfa, exchange);
    },
  };

  /** It says who comes, and no more: that cluster decides, and wants to see the pass that it has given itself. */
  async function leadTo({ name: leaf }: { name: string }, actor: Actor, name: string, exchange: Exchange) {
    if (actor.isOwner) throw new AppError('denied', 'a pass belongs to a sign-in: sign in first');
    return await give(identity.callerOf(actor), { id: ELSEWHERE, name: kubeDoorName(name, leaf) }, false, exchange);
  }

  async function give(caller: Who, to: { id: string; name: string }, factorProven: boolean, exchange: Exchange) {
    const { token, expires } = await db.transaction().execute(async (tx) => {
      const given = await passes.give(tx, caller, to, factorProven);
      const told = { expires: new Date(given.expires).toISOString(), factor_proven: factorProven };
      const { username: user, signInId } = caller;
      const about = { user, name: to.name, 'addr.remote': exchange.address, ...told };
      await audit.emit(tx, kubePassGiven, about, { signInId });
      return given;
    });
    const seconds = Math.floor((expires - now()) / 1000);
    return { token, expires: new Date(expires).toISOString(), seconds };
  }
}
