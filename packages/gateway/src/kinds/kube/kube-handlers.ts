/** Answers the calls that list, add, change and remove Kubernetes clusters, and that store what the gateway shows them. */
import { randomBytes } from 'node:crypto';
import { kubeCreated, kubeDeleted, kubeNameFreed, kubeUpdated } from '@gatehouse/contract/kinds/kube/kube-events';
import { type KubeCredential, type KubeSpec, kubeSpec } from '@gatehouse/contract/kinds/kube/kube-spec';
import type { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import type { Identity } from '../../identity/identity.ts';
import { enteredRecords } from '../../inventory/entered-records.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { nameHandlers } from '../../inventory/name-handlers.ts';
import { putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { withoutMissing } from '../../platform/std/without-missing.ts';
import { inTransaction } from '../../platform/storage/transaction.ts';
import { knownAgentIds } from '../../reach/agents/registry/known-agent.ts';
import type { Reach } from '../../reach/reach.ts';
import { checkKube } from './check-kube.ts';
import type { KubeCalls } from './kube-calls.ts';
import type { KubeCredentials } from './kube-credentials.ts';
import { type KubeListDeps, listKubes, toKube, toKubeDetails } from './kube-list.ts';
import { removeKubePasses } from './kube-pass-store.ts';
import { endOfCredential, type KubeSecrets } from './kube-secrets.ts';
import { kubeWays } from './kube-ways.ts';
import { listPods } from './list-pods.ts';
import { kubeTargetOf, offersOf, readKube, toListedKube, wrongRecord } from './listed-kube.ts';
import { refuseTakenKube } from './taken-kubes.ts';

export interface KubeHandlerDeps extends KubeListDeps {
  secrets: KubeSecrets;
  credentials: KubeCredentials;
  reach: Pick<Reach, 'way'>;
  identity: Pick<Identity, 'callerOf'>;
  calls: Pick<KubeCalls, 'ask'>;
  audit: Audit;
  now: () => number;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
}

/** One that is not stored. */
const NOWHERE = { kind: 'kube', id: '', name: '', labels: {}, owner: '', expires: undefined } as const;

export function kubeHandlers(deps: KubeHandlerDeps): Handlers<typeof kubeRoutes> {
  const { db, access, audit, secrets, now } = deps;
  const on = (cluster: string) => ({ ...deps, clusterName: cluster });
  const records = enteredRecords({
    ...deps,
    ...{ kind: 'kube', rule: 'kube_server', called: 'Kubernetes cluster', read: readKube },
  });
  const { findSeen, gaining } = records;

  const told = async (actor: Actor, resource: Resource) =>
    toKube(on(resource.cluster), actor, toListedKube(resource, await offersOf(db, [resource])));

  /** Throws why they may not add it, beside the right to. */
  const refuseGift = async (actor: Actor, resource: Resource) => {
    refuseHiddenLabels(resource.labels);
    const people = await gaining(actor);
    refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: kubeWays });
  };

  /** What is stored, and what of it stands in the record. */
  const sealNew = (name: string, spec: KubeSpec, credential: KubeCredential) => {
    const ends = endOfCredential(credential);
    if (ends && ends.getTime() <= now())
      throw new AppError('bad_request', `the credential ended at ${ends.toISOString()}: give one that is still good`);
    const marked = { ...spec, mark: newMark(), credentialEnds: ends?.toISOString() ?? '' };
    return { spec: marked, sealed: secrets.seal(name, marked, credential) };
  };

  return {
    ...nameHandlers(deps, 'kube', (tx, freed, told) => audit.emit(tx, kubeNameFreed, freed, told)),

    list: ({ actor, cluster, query }) => listKubes(on(cluster), actor, query),

    async pods({ actor, query: { kubeCluster, kubeNamespace, ...query }, exchange }) {
      if (actor.isOwner) throw new AppError('denied', 'sign in as a user to reach Kubernetes clusters');
      const caller = deps.identity.callerOf(actor);
      return await listPods(deps.calls, {
        ...{ caller, address: exchange.address, cluster: kubeCluster, namespace: kubeNamespace, query },
      });
    },

    async get({ actor, cluster, params: { name } }) {
      const found = await findSeen(actor, { cluster, name });
      return await toKubeDetails(on(cluster), actor, found, records.may(actor, 'update', found.resource));
    },

    async add({ actor, cluster, body, exchange }) {
      const { name, labels, through, credential, ...fields } = body;
      records.require(actor, 'create', { name, labels });
      const given = readSpec({ ...fields, through: await knownAgentIds(on(cluster), actor, through) });
      const { spec, sealed } = credential ? sealNew(name, given, credential) : { spec: given, sealed: undefined };
      const resource: Resource = { cluster, kind: 'kube', id: name, name, labels, spec, owner: '', expires: undefined };
      await refuseGift(actor, resource);
      await inTransaction(db, async (tx) => {
        await refuseTakenKube(tx, { cluster, name });
        await putResources(tx, [{ ...resource, sealed }], now());
        await audit.emit(tx, kubeCreated, facts(actor, resource), contextOf(actor, exchange));
      });
      return await told(actor, resource);
    },

    async update({ actor, cluster, params: { name }, body, exchange }) {
      const { labels: given, through, credential, ...fields } = body;
      const after = await records.update(actor, { cluster, name }, async (tx, before, people) => {
        const labels = given ?? before.resource.labels;
        if (given) refuseHiddenLabels(given);
        // Whoever changes its labels must be allowed to change what it becomes.
        records.require(actor, 'update', { name, labels });
        const ways = through && (await knownAgentIds({ ...on(cluster), db: tx }, actor, through, before.spec.through));
        const written = readSpec({ ...before.spec, ...withoutMissing(fields), ...(ways ? { through: ways } : {}) });
        const { spec, sealed } = credential ? sealNew(name, written, credential) : kept(secrets, before, written);
        const changed: Resource = { ...before.resource, labels, spec };
        refuseLabelGift(access, actor, { people, before: before.resource, after: changed, ways: kubeWays });
        // What is at another address is another cluster to whoever reaches it, and so is what is known by another credential.
        if (credential || kubeTargetOf(spec) !== kubeTargetOf(before.spec))
          refuseLabelGift(access, actor, { people, before: undefined, after: changed, ways: kubeWays });
        await putResources(tx, [{ ...changed, sealed }], now());
        await audit.emit(tx, kubeUpdated, facts(actor, changed), contextOf(actor, exchange));
        return changed;
      });
      return await told(actor, after);
    },

    async check({ actor, cluster, body, exchange }) {
      const { name, labels, through, credential, groups, ...fields } = body;
      if (name !== undefined) records.require(actor, 'create', { name, labels });
      const spec = readSpec({ ...fields, through: await knownAgentIds(on(cluster), actor, through) });
      if (name !== undefined) {
        await refuseGift(actor, { ...NOWHERE, cluster, id: name, name, labels, spec });
        await inTransaction(db, (tx) => refuseTakenKube(tx, { cluster, name }));
      }
      if (credential) endOfCredential(credential);
      return {
        steps: await checkKube(deps.reach, {
          cluster: toListedKube({ ...NOWHERE, cluster, spec }, new Map()),
          credential: credential && (async () => credential),
          ...{ groups, who: { user: actor.username, session: exchange.requestId } },
        }),
      };
    },

    async checkStored({ actor, cluster, params: { name }, body: { groups }, exchange }) {
      const found = await findSeen(actor, { cluster, name });
      records.require(actor, 'update', found.resource);
      if (found.wrong !== '') throw wrongRecord(found);
      return {
        steps: await checkKube(deps.reach, {
          ...{ cluster: found, groups, who: { user: actor.username, session: exchange.requestId } },
          credential: (signal) => deps.credentials.of(found, signal),
        }),
      };
    },

    async remove({ actor, cluster, params: { name }, exchange }) {
      await records.remove(actor, { cluster, name }, async (tx, removed) => {
        await removeKubePasses(tx, removed);
        await audit.emit(tx, kubeDeleted, { user: actor.username, name }, contextOf(actor, exchange));
      });
      return OK;
    },
  };
}

/** What was given for another address is gone, and the record says so. */
function kept(secrets: KubeSecrets, before: Parameters<KubeSecrets['keep']>[0], after: KubeSpec) {
  const sealed = secrets.keep(before, after);
  return { spec: sealed === undefined ? { ...after, mark: '', credentialEnds: '' } : after, sealed };
}

/** Says that the credential is another than before, and nothing else: what was opened with that ends. */
function newMark(): string {
  return randomBytes(9).toString('base64url');
}

function readSpec(given: unknown): KubeSpec {
  return parseInput(kubeSpec, given, 'body');
}

function facts(actor: Actor, { name, labels }: Resource) {
  return { user: actor.username, name, kube_labels: { ...labels } };
}
