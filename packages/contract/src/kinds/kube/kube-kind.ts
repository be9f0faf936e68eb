/** Kubernetes clusters, as data. */
import { defineKind } from '../kind.ts';

export const kubeKind = defineKind({
  noun: 'Kubernetes cluster',
  path: 'kubernetes',
  command: 'kube',
  acl: 'kubeServers',
  flag: 'kubernetes',
  sessionKind: 'k8s',
  joinRole: 'Kube',
  eventFamily: 'kubernetes',
  rules: ['kube_server', 'kube_cluster'],
  labels: 'kubernetes_labels',
  givenByV3: true,
  principals: [
    {
      name: 'user',
      asked: 'kubeUser',
      field: 'kubernetes_users',
      userTrait: 'kubeUsers',
      login: true,
      starAllows: true,
      // Clusters keep these for their masters, nodes and controllers.
      starExcepts: 'system:',
    },
    {
      name: 'groups',
      asked: 'kubeGroups',
      field: 'kubernetes_groups',
      userTrait: 'kubeGroups',
      many: true,
      main: true,
      starAllows: true,
      starExcepts: 'system:',
    },
  ],
  namesAddUp: true,
  hasObjects: true,
  recording: 'terminal',
  recordedEnd: { event: 'session.end', marked: 'kubernetes_cluster' },
  joinable: true,
  countsAlways: true,
  sortable: ['name'],
  testSteps: ['access', 'reach', 'tcp', 'tls', 'version', 'impersonate', 'pods'],
  factorBody: { part: 'kube', name: 'cluster_name' },
  nameField: 'kubernetes_cluster_name',
});
