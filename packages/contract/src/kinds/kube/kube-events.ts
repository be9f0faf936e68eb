/** Events of Kubernetes clusters and of requests to them. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, kubeCluster, resource, server } from '../../events/event-fields.ts';
import { line } from '../../events/line.ts';

const about = { kind: 'kube', name: 'name' } as const;
const cluster = { ...byUser, ...resource, kube_labels: z.record(z.string(), z.string()).optional() } as const;

export const kubeRequest = defineEvent({
  code: 'T3009I',
  event: 'kube.request',
  label: 'Kubernetes Request',
  about: { kind: 'kube', name: 'kubernetes_cluster' },
  fields: {
    ...byUser,
    ...connection,
    ...server,
    sid: z.string().optional(),
    request_path: z.string(),
    verb: z.string(),
    resource_api_group: z.string().optional(),
    resource_namespace: z.string().optional(),
    resource_kind: z.string().optional(),
    resource_name: z.string().optional(),
    response_code: z.number(),
    ...kubeCluster,
  },
  tell: ({ user, verb, request_path, kubernetes_cluster, response_code }) =>
    line`${user} sent ${verb} ${request_path} to the cluster ${kubernetes_cluster}, answered with ${response_code}`,
});

export const kubeCreated = defineEvent({
  code: 'T3010I',
  event: 'kube.create',
  label: 'Kubernetes Created',
  about,
  fields: cluster,
  tell: ({ user, name }) => line`${user} added the Kubernetes cluster ${name}`,
});

export const kubeUpdated = defineEvent({
  code: 'T3011I',
  event: 'kube.update',
  label: 'Kubernetes Updated',
  about,
  fields: cluster,
  tell: ({ user, name }) => line`${user} changed the Kubernetes cluster ${name}`,
});

export const kubeDeleted = defineEvent({
  code: 'T3012I',
  event: 'kube.delete',
  label: 'Kubernetes Deleted',
  about,
  fields: { ...byUser, ...resource },
  tell: ({ user, name }) => line`${user} removed the Kubernetes cluster ${name}`,
});

/** Names belong to the agents that had them until somebody frees them. */
export const kubeNameFreed = defineEvent({
  code: 'GH386I',
  event: 'kube.name.free',
  label: 'Kubernetes Name Freed',
  about,
  fields: { ...byUser, ...resource, hosts: z.array(z.string()), group: z.string() },
  tell: ({ user, name }) => line`${user} freed the name of the Kubernetes cluster ${name}`,
});

/** The cluster is asked for it by a request of its own, which does not tell whether anybody saw the values. */
export const kubeSecretRevealed = defineEvent({
  code: 'GH389I',
  event: 'kube.secret.revealed',
  label: 'Kubernetes Secret Shown',
  about: { kind: 'kube', name: 'kubernetes_cluster' },
  fields: {
    ...byUser,
    ...connection,
    ...server,
    resource_namespace: z.string().optional(),
    resource_name: z.string().optional(),
    ...kubeCluster,
  },
  tell: ({ user, resource_namespace, resource_name, kubernetes_cluster }) =>
    line`${user} had the values of the secret ${resource_name} in ${resource_namespace} of the cluster ${kubernetes_cluster} shown`,
});
