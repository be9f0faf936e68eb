/** What controllers do, for the small cluster: deployments have pods, namespaces have an account and take what is in them along. */
import { at, type KubeObject, list, now, record, text } from './kube-object.ts';
import { hashOf } from './kube-print.ts';
import type { KubeStore, StoreChange } from './kube-store.ts';
import type { KubeType, KubeTypes } from './kube-types.ts';

/** `tokenFor`: a bearer that the cluster takes for an account. */
export function runControllers(
  types: KubeTypes,
  store: KubeStore,
  tokenFor: (namespace: string, account: string) => string,
): () => void {
  const typeOf = (group: string, plural: string) => types.find(group, 'v1', plural) as KubeType;
  const deployments = typeOf('apps', 'deployments');
  const sets = typeOf('apps', 'replicasets');
  const pods = typeOf('', 'pods');
  const accounts = typeOf('', 'serviceaccounts');
  const secrets = typeOf('', 'secrets');

  const ownedBy = (type: KubeType, owner: KubeObject) =>
    store
      .list(type, owner.metadata.namespace ?? '')
      .map(({ object }) => object)
      .filter(({ metadata }) => list(metadata.ownerReferences).some((each) => at(each, 'uid') === owner.metadata.uid));

  const made = (
    owner: KubeObject,
    name: string,
    kind: string,
    apiVersion: string,
    template: KubeObject | undefined,
  ): KubeObject => ({
    kind,
    apiVersion,
    metadata: {
      ...record(template?.metadata),
      name,
      namespace: owner.metadata.namespace ?? '',
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  });

  const rollOut = (deployment: KubeObject) => {
    const { namespace = '', name } = deployment.metadata;
    const spec = record(deployment.spec);
    const template = record(spec.template) as KubeObject;
    const setName = `${name}-${hashOf(template)}`;
    const replicas = Number(spec.replicas ?? 1);
    if (!store.has(sets, namespace, setName)) {
      const set = made(deployment, setName, 'ReplicaSet', 'apps/v1', template);
      store.create(sets, { ...set, spec: { replicas, selector: spec.selector ?? {}, template }, status: {} });
    }
    for (const set of ownedBy(sets, deployment)) {
      const wanted = set.metadata.name === setName ? replicas : 0;
      if (at(set, 'spec', 'replicas') !== wanted) {
        store.change(sets, namespace, set.metadata.name, (object) => {
          object.spec = { ...record(object.spec), replicas: wanted };
        });
      }
    }
    store.change(deployments, namespace, name, (object) => {
      object.status = {
        observedGeneration: object.metadata.generation ?? 1,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        conditions: [
          {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            lastTransitionTime: object.metadata.creationTimestamp ?? now(),
          },
        ],
      };
    });
  };

  const fill = (set: KubeObject) => {
    const { namespace = '', name } = set.metadata;
    const wanted = Number(at(set, 'spec', 'replicas') ?? 1);
    const there = ownedBy(pods, set);
    const template = record(at(set, 'spec', 'template')) as KubeObject;
    for (let count = there.length; count < wanted; count++) {
      const pod = made(set, `${name}-${hashOf([name, count, store.revision]).slice(0, 5)}`, 'Pod', 'v1', template);
      store.create(pods, {
        ...pod,
        spec: { nodeName: 'node-1', restartPolicy: 'Always', ...record(template.spec) },
        status: { phase: 'Pending' },
      });
    }
    for (const pod of there.slice(wanted)) store.remove(pods, namespace, pod.metadata.name);
    store.change(sets, namespace, name, (object) => {
      object.status = {
        replicas: wanted,
        readyReplicas: wanted,
        availableReplicas: wanted,
        observedGeneration: object.metadata.generation ?? 1,
      };
    });
  };

  /** What belonged to something that is gone goes too. */
  const collect = (owner: KubeObject) => {
    for (const type of [sets, pods]) {
      for (const { metadata } of ownedBy(type, owner)) store.remove(type, metadata.namespace ?? '', metadata.name);
    }
  };

  const empty = (namespace: string) => {
    for (const type of types.all().filter(({ namespaced }) => namespaced)) {
      for (const { object } of store.list(type, namespace)) store.remove(type, namespace, object.metadata.name);
    }
  };

  return store.onChange(({ type, of, stored: { object } }: StoreChange) => {
    const isThere = type !== 'DELETED';
    const { namespace = '', name } = object.metadata;
    if (of === 'namespaces') {
      if (!isThere) empty(name);
      else if (type === 'ADDED' && !store.has(accounts, name, 'default')) {
        store.create(accounts, {
          kind: 'ServiceAccount',
          apiVersion: 'v1',
          metadata: { name: 'default', namespace: name },
        });
      }
    } else if (of === 'customresourcedefinitions.apiextensions.k8s.io') {
      types.define(object, isThere);
      if (isThere && object.status === undefined)
        establish(typeOf('apiextensions.k8s.io', 'customresourcedefinitions'), name);
    } else if (of === 'deployments.apps') {
      if (!isThere) collect(object);
      else if (store.has(deployments, namespace, name)) rollOut(store.get(deployments, namespace, name).object);
    } else if (of === 'replicasets.apps') {
      if (!isThere) collect(object);
      else if (store.has(sets, namespace, name)) fill(store.get(sets, namespace, name).object);
    } else if (of === 'secrets' && type === 'ADDED' && object.type === 'kubernetes.io/service-account-token') {
      const account = text(at(object.metadata.annotations, 'kubernetes.io/service-account.name'));
      // As there, after the answer to who made it.
      setImmediate(() => {
        if (store.has(secrets, namespace, name) && store.has(accounts, namespace, account))
          store.change(secrets, namespace, name, (secret) => {
            const token = Buffer.from(tokenFor(namespace, account)).toString('base64');
            secret.data = { ...record(secret.data), token };
          });
      });
    } else if (of === 'pods' && !isThere) {
      const owner = text(at(list(object.metadata.ownerReferences)[0], 'name'));
      if (owner !== '' && store.has(sets, namespace, owner)) fill(store.get(sets, namespace, owner).object);
    }
  });

  function establish(type: KubeType, name: string): void {
    store.change(type, '', name, (definition) => {
      const yes = (kind: string) => ({
        type: kind,
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: '',
        lastTransitionTime: now(),
      });
      definition.status = {
        conditions: [yes('NamesAccepted'), yes('Established')],
        acceptedNames: record(at(definition, 'spec', 'names')),
        storedVersions: list(at(definition, 'spec', 'versions')).map((each) => text(at(each, 'name'))),
      };
    });
  }
}
