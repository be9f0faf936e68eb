/** Tells the log that somebody sees the values of a secret, before they do. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { kubeSecretRevealed } from '@gatehouse/contract/kinds/kube/kube-events';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { KubeUse } from '../kube-use.ts';

export async function tellReveal(events: Pick<EventStream, 'write'>, use: KubeUse, secret: KubeRef): Promise<void> {
  const { caller, address, cluster, who } = use;
  const { resource } = cluster;
  await events.write(
    kubeSecretRevealed,
    {
      ...{ user: caller.username, 'addr.remote': address, proto: 'kube', namespace: 'default' },
      ...{ server_id: resource.id, server_hostname: resource.name },
      ...{ resource_namespace: secret.namespace, resource_name: secret.name },
      ...{ kubernetes_cluster: resource.name, kubernetes_users: [who.user], kubernetes_groups: [...who.groups] },
      kubernetes_labels: { ...resource.labels },
    },
    { signInId: caller.signInId },
    'soon',
  );
}
