/** Answers programs of whoever is signed in that want a pass for a Kubernetes cluster. */
import { kubeDoorName, type kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubePassGiven } from '@gatehouse/contract/kinds/kube/kube-pass-events';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import { readRemoteName } from '../../identity/stores/remote-name.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
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
  identity: Pick<Identity, 'callerOf' | 'proveAgain' | 'approvals'>;
  audit: Audit;
  passes: Pick<KubePasses, 'give'>;
  now: () => number;
}

const KUBE_NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/;
/** Programs that wait ask again so often. */
const POLL_SECONDS = 2;

export function kubePassHandlers(deps: KubePassHandlerDeps): Handlers<typeof kubePassRoutes> {
  const { db, access, identity, audit, passes, now } = deps;

  async function wanted(actor: Actor, clusterName: string, name: string) {
    const { resource } = await findSeenKube({ ...deps, clusterName }, actor, name);
    if (actor.isOwner) throw new AppError('denied', 'a pass belongs to a sign-in: sign in first');
    const connect = { type: 'connect', kind: 'kube', resource, groups: [] } as const;
    access.require(actor, connect);
    return { resource, connect, requireMfa: sessionOptions(access.of(actor)).requireMfa };
  }

  return {
    async ask({ actor, cluster, params: { name }, query: { leaf }, exchange: { address } }) {
      if (leaf !== undefined) {
        // What that cluster has and whether a role asks for one there, it says itself.
        const door = await doorAt(actor, name, leaf);
        return await question(actor, { name: door, resource: door }, address);
      }
      const { resource, requireMfa } = await wanted(actor, cluster, name);
      if (!requireMfa) throw new AppError('conflict', 'no role of yours asks for a second factor: ask for a pass');
      if (readRemoteName(actor.username))
        throw new AppError('denied', 'whoever is of another cluster has no browser that is signed in here');
      return await question(actor, { name: resource.name, resource: resource.id }, address);
    },

    async give({ actor, cluster, params: { name }, body: { factor, approval, leaf }, exchange }) {
      if (leaf !== undefined) return await leadTo(leaf, name, { actor, approval, exchange });
      const { resource, connect, requireMfa } = await wanted(actor, cluster, name);
      const caller = identity.callerOf(actor);
      if (requireMfa) {
        if (approval === undefined) await proveFactor(deps, actor, exchange, factor);
        else await requireApproved(actor, resource.id, approval);
        // Proving took a while: what was allowed before may not be any more.
        access.require(await caller.now(), connect);
      }
      return await give(caller, resource, requireMfa, exchange);
    },
  };

  async function requireApproved({ username: user, signInId: signIn }: Actor, resource: string, approval: string) {
    const answer = await identity.approvals.answerTo(approval, { user, signIn, resource });
    if (answer === 'pending')
      throw new AppError('mfa_required', 'nobody has accepted it in the browser yet', { fields: { state: 'pending' } });
    if (answer === 'denied') throw new AppError('denied', 'it was denied in the browser, or is over');
    if (answer.username !== user || !answer.byDevice)
      throw new AppError('denied', 'it was accepted without a second factor of yours');
  }

  async function question(actor: Actor, { name, resource }: { name: string; resource: string }, address: string) {
    const kube = { name, resource, user: actor.username, signIn: actor.signInId };
    const client = `programs at the Kubernetes cluster ${name}, a second factor`;
    const { id: approval, code, url } = await identity.approvals.ask({ client, address, kube });
    return { approval, code, url, pollSeconds: POLL_SECONDS };
  }

  /** What a Kubernetes cluster of a leaf is called here. */
  async function doorAt(actor: Actor, name: string, leaf: string): Promise<string> {
    if (actor.isOwner) throw new AppError('denied', 'a pass belongs to a sign-in: sign in first');
    const found = await requireLeaf(deps.clusters, actor, leaf);
    // It is shown to people as it stands.
    if (!KUBE_NAME.test(name)) throw notFound('Kubernetes cluster', name);
    return kubeDoorName(name, found.name);
  }

  /** It says who comes, and no more: that cluster decides, and wants to see the pass that it has given itself. */
  async function leadTo(
    leaf: string,
    name: string,
    { actor, approval, exchange }: { actor: Actor; approval: string | undefined; exchange: Exchange },
  ) {
    const door = await doorAt(actor, name, leaf);
    if (approval !== undefined) await requireApproved(actor, door, approval);
    const caller = identity.callerOf(actor);
    const pass = await give(caller, { id: ELSEWHERE, name: door }, false, exchange);
    if (approval === undefined) return pass;
    const { leaf: there } = await requireLeaf(deps.clusters, actor, leaf);
    return { ...pass, factor: there.vouch(caller) };
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
