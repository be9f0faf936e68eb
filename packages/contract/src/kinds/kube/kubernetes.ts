/** Kubernetes clusters: the list every client knows, and how administrators add, change, check and remove them. */
import { z } from 'zod';
import { label } from '../../std/labels.ts';
import { resourceLabels } from '../../std/resource-fields.ts';
import { ack } from '../../wire/ack.ts';
import { listQuery, listReply } from '../../wire/paging.ts';
import { defineRoutes } from '../../wire/route.ts';
import { heldNameRoutes } from '../held-names.ts';
import { kubeKind } from './kube-kind.ts';
import { kubeCredential, kubeFields, kubeName } from './kube-spec.ts';

/** What keeps everybody out until somebody does something about it. */
export const KUBE_LACKS = ['credential', 'agent'] as const;

/** What clients of the wire reference read, and `gatehouse` with what only our own look at. */
export const kubeCluster = z.object({
  name: z.string(),
  labels: z.array(label),
  /** What the caller may be there; nobody named: they are called as here. */
  kubernetes_users: z.array(z.string()),
  kubernetes_groups: z.array(z.string()),
  gatehouse: z
    .object({
      /** Announced by agents, or entered by an administrator, who can change it. */
      source: z.enum(['agent', 'entered']),
      server: z.string(),
      /** Its certificate is not checked. */
      insecure: z.boolean(),
      /** Where what the gateway shows it comes from: sealed here, or asked of an agent. */
      credential: z.enum(['stored', 'agent']),
      /** When what is stored ends, as it says itself. */
      credentialEnds: z.string().optional(),
      /** `credential`: none is stored; `agent`: none of those that reach it is connected. */
      lacks: z.array(z.enum(KUBE_LACKS)),
      /** Why its record lets nobody in until somebody changes it. */
      wrong: z.string().optional(),
      /** For screens of those who may not list namespaces. */
      namespaces: z.array(z.string()),
      /** Agents that reach it; 0: the gateway dials by itself. */
      ways: z.number().int(),
      /** How many of those are connected to this gateway. */
      connected: z.number().int(),
    })
    .optional(),
});
export type KubeCluster = z.output<typeof kubeCluster>;

/** A cluster with all that can be edited; its credential is told to nobody. */
export const kubeClusterDetails = z.object({
  item: kubeCluster,
  ...kubeFields,
  /** Empty where what is stored cannot be read. */
  server: z.string(),
  labels: resourceLabels,
  /** Agents that were named to dial it, by name; told to who may change it. */
  through: z.array(z.string()),
  /** Agents that dial it, by name: those that were named or that offer it. */
  agents: z.array(z.object({ name: z.string(), connected: z.boolean() })),
});
export type KubeClusterDetails = z.output<typeof kubeClusterDetails>;

const throughAgents = z.array(z.string().min(1).max(253)).max(16);

/** As it is entered. */
export const newKubeCluster = z.strictObject({
  name: kubeName,
  labels: resourceLabels.default({}),
  ...kubeFields,
  /** Ids or names of agents that reach it; none: the gateway dials. */
  through: throughAgents.default([]),
  /** Stored sealed. */
  credential: kubeCredential.optional(),
});
export type NewKubeCluster = z.input<typeof newKubeCluster>;

/** The hops to a cluster, in order. What comes after one that failed is skipped. */
export const KUBE_CHECK_STEPS = ['reach', 'tcp', 'tls', 'version', 'impersonate'] as const;
export const kubeCheckStep = z.object({
  step: z.enum(KUBE_CHECK_STEPS),
  /** `warning`: it works, but somebody should look at it. */
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  message: z.string(),
  /** What to do about it. */
  next: z.string(),
  ms: z.number(),
});
export type KubeCheckStep = z.output<typeof kubeCheckStep>;

/** A pod of a cluster, as clients of the wire reference read it. */
export const kubePod = z.object({
  kind: z.literal('pod'),
  name: z.string(),
  labels: z.array(label),
  namespace: z.string(),
  cluster: z.string(),
});
export type KubePod = z.output<typeof kubePod>;

/** A group of a cluster, or `*`. */
export const kubeGroup = z.string().min(1).max(256);

/** As much of one as a test of the way to it looks at. */
export const kubeDraft = z.object({
  name: kubeName.optional(),
  labels: resourceLabels.default({}),
  ...kubeFields,
  /** Without one the cluster is asked nothing. */
  credential: kubeCredential.optional(),
  /** Groups that people are to be in there: whether the gateway may act in each. */
  groups: z.array(kubeGroup).max(64).default([]),
});

export const kubeRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/kubernetes',
    summary: 'The Kubernetes clusters the caller sees, with the users and groups they may be in each.',
    auth: 'signed-in',
    needs: ['kubeServers', 'list'],
    query: listQuery,
    reply: listReply(kubeCluster),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name',
    summary: 'One Kubernetes cluster with all that can be edited. What the gateway shows it is told to nobody.',
    auth: 'signed-in',
    needs: ['kubeServers', 'list'],
    reply: kubeClusterDetails,
  },
  add: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/kubernetes',
    summary:
      'Adds a Kubernetes cluster, with what the gateway shows it, which is stored sealed. A name that another one has is refused.',
    auth: 'signed-in',
    needs: ['kubeServers', 'create'],
    body: newKubeCluster,
    reply: kubeCluster,
  },
  update: {
    method: 'PUT',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name',
    summary:
      'Changes what is said of a Kubernetes cluster that was entered; the rest stays as it is. Another address, authority or server name voids the credential that is stored, unless one comes along.',
    auth: 'signed-in',
    needs: ['kubeServers', 'edit'],
    body: z.strictObject({
      labels: resourceLabels.optional(),
      server: kubeFields.server.optional(),
      ca: kubeFields.ca.unwrap().optional(),
      serverName: kubeFields.serverName.unwrap().optional(),
      insecureSkipVerify: kubeFields.insecureSkipVerify.unwrap().optional(),
      namespaces: kubeFields.namespaces.unwrap().optional(),
      through: throughAgents.optional(),
      credential: kubeCredential.optional(),
    }),
    reply: kubeCluster,
  },
  pods: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/pods',
    summary:
      'The pods of a Kubernetes cluster that the caller may list there, asked of the cluster in their name; of one namespace, or of all. Of more than 50,000 the first are told.',
    auth: 'signed-in',
    needs: ['kubeServers', 'list'],
    query: listQuery.extend({
      kubeCluster: z.string().min(1, 'must name a Kubernetes cluster').max(63),
      kubeNamespace: z.string().max(253).default(''),
    }),
    reply: listReply(kubePod),
  },
  ...heldNameRoutes('kube', kubeKind),
  check: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/kubernetes/check',
    summary:
      'Tries each hop to a Kubernetes cluster that is about to be added, and tells what came of it. Stores nothing, the credential neither. With its name, whether the caller may add it is decided first, as when it is added.',
    auth: 'signed-in',
    needs: ['kubeServers', 'create'],
    body: z.strictObject({
      /** Refused where adding it under this name and with these labels would be. */
      name: kubeName.optional(),
      labels: resourceLabels.default({}),
      ...kubeFields,
      through: throughAgents.default([]),
      /** Without one the hops end before it is asked for. */
      credential: kubeCredential.optional(),
      /** Groups that people are to be in there: whether the gateway may act in each. */
      groups: z.array(kubeGroup).max(64).default([]),
    }),
    reply: z.object({ steps: z.array(kubeCheckStep) }),
  },
  checkStored: {
    method: 'POST',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name/check',
    summary:
      'Tries each hop to a Kubernetes cluster as it is stored, with what is stored for it, for who may change it.',
    auth: 'signed-in',
    needs: ['kubeServers', 'edit'],
    body: z.strictObject({ groups: z.array(kubeGroup).max(64).default([]) }),
    reply: z.object({ steps: z.array(kubeCheckStep) }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/webapi/sites/:clusterId/kubernetes/:name',
    summary:
      'Removes a Kubernetes cluster that was entered, with the credential that was stored for it. One that agents announce goes with them.',
    auth: 'signed-in',
    needs: ['kubeServers', 'remove'],
    reply: ack,
  },
});
