/** Kubernetes clusters as documents. */
import { readStoredKube } from '@gatehouse/contract/kinds/kube/kube-spec';
import { type KubeClusterDocument, kubeClusterDocument } from '@gatehouse/contract/kinds/resource-documents';
import type { ResourceDocuments } from '../../identity/apply/resource-documents.ts';
import { resourceDocuments, type WrittenOn } from '../resource-documents.ts';
import { type KubeHandlerDeps, kubeHandlers } from './kube-handlers.ts';

export function kubeDocuments(deps: KubeHandlerDeps): ResourceDocuments {
  const calls = ({ db, people }: WrittenOn) => kubeHandlers({ ...deps, db, people });
  const fieldsOf = ({ metadata: { labels }, spec }: KubeClusterDocument) => ({ labels, ...spec });

  return resourceDocuments<KubeClusterDocument>(deps, {
    kind: 'kube_cluster',
    of: 'kube',
    rule: 'kube_server',
    acl: 'kubeServers',
    schema: kubeClusterDocument,

    async documentOf({ name, labels, spec: stored }, nameOf) {
      const { through, mark: _, credentialEnds: _ends, ...spec } = readStoredKube(stored).spec;
      const agents = await Promise.all(through.map(nameOf));
      return {
        ...{ kind: 'kube_cluster', version: 'v3', metadata: { name, labels } },
        spec: { ...spec, through: agents },
      };
    },

    shown: ({ spec: { credential: _, ...spec }, ...document }) => ({ ...document, spec }),
    hasSecrets: ({ spec }) => spec.credential !== undefined,

    add: (on, document) =>
      calls(on).add({
        ...on,
        params: {},
        query: undefined,
        body: { name: document.metadata.name, ...fieldsOf(document) },
      }),
    update: (on, document) =>
      calls(on).update({ ...on, params: { name: document.metadata.name }, query: undefined, body: fieldsOf(document) }),
  });
}
