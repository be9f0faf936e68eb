/** What the gateway shows a cluster, wherever it comes from: what is stored here, or what an agent gives. */
import type { KubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import { AppError } from '../../platform/std/app-error.ts';
import type { KubeSecrets } from './kube-secrets.ts';
import type { ListedKube } from './listed-kube.ts';

export interface KubeCredentials {
  /** Throws `conflict` with `next` where there is none. */
  of(cluster: ListedKube, signal: AbortSignal): Promise<KubeCredential>;
}

export function createKubeCredentials({ secrets }: { secrets: Pick<KubeSecrets, 'credentialOf'> }): KubeCredentials {
  return {
    async of(cluster) {
      const { name, owner } = cluster.resource;
      const stored = owner === '' ? secrets.credentialOf(name, cluster) : undefined;
      if (stored) return stored;
      throw new AppError('conflict', `the gateway has nothing to show to the Kubernetes cluster '${name}'`, {
        fields: {
          next: `store a token for it: gatehouse kube add ${name} --kubeconfig FILE --replace`,
        },
      });
    },
  };
}
