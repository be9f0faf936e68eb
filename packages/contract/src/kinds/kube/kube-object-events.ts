/** Events of what is done to objects of Kubernetes clusters, where the request alone would not say what it means. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, kubeCluster, kubePod } from '../../events/event-fields.ts';
import { line, when } from '../../events/line.ts';

const about = { kind: 'kube', name: 'kubernetes_cluster' } as const;
const object = {
  resource_api_group: z.string().optional(),
  resource_namespace: z.string().optional(),
  resource_kind: z.string().optional(),
  resource_name: z.string().optional(),
} as const;

export const kubeDebugContainer = defineEvent({
  code: 'GH360I',
  event: 'kube.debug_container.add',
  label: 'Debug Container Added',
  about,
  fields: {
    ...byUser,
    ...connection,
    ...kubePod,
    target_container: z.string().optional(),
    initial_command: z.array(z.string()).optional(),
  },
  tell: ({ user, kubernetes_container_image, kubernetes_pod_namespace, kubernetes_pod_name, kubernetes_cluster }) =>
    line`${user} added a debug container${when(kubernetes_container_image, line` of ${kubernetes_container_image}`)} to the pod ${kubernetes_pod_namespace}/${kubernetes_pod_name} of the Kubernetes cluster ${kubernetes_cluster}`,
});

export const kubePodPowers = defineEvent({
  code: 'GH361W',
  event: 'kube.pod.powers',
  label: 'Pod With Powers Over Its Host',
  about,
  fields: {
    ...byUser,
    ...connection,
    ...kubeCluster,
    ...object,
    verb: z.string(),
    powers: z.array(z.string()),
  },
  tell: ({ user, verb, resource_kind, resource_name, powers, kubernetes_cluster }) =>
    line`${user} asked for ${powers} by ${verb} of ${resource_kind}${when(resource_name, line` ${resource_name}`)} in the Kubernetes cluster ${kubernetes_cluster}`,
});

export const kubeSecretRevealed = defineEvent({
  code: 'GH362I',
  event: 'kube.secret.reveal',
  label: 'Kubernetes Secret Shown',
  about,
  fields: { ...byUser, ...connection, ...kubeCluster, resource_namespace: z.string(), resource_name: z.string() },
  tell: ({ user, resource_namespace, resource_name, kubernetes_cluster }) =>
    line`${user} was shown the values of the secret ${resource_namespace}/${resource_name} of the Kubernetes cluster ${kubernetes_cluster}`,
});
