/** Kubernetes clusters, as data. */
import { defineKind } from '../kind.ts';

export const kubeKind = defineKind({
  noun: 'Kubernetes cluster',
  path: 'kubernetes',
  acl: 'kubeServers',
  flag: 'kubernetes',
  sessionKind: 'k8s',
  joinRole: 'Kube',
  eventFamily: 'kubernetes',
  rules: ['kube_server', 'kube_cluster'],
  labels: 'kubernetes_labels',
  principals: [
    { name: 'user', asked: 'kubeUser', field: 'kubernetes_users', login: true },
    { name: 'groups', asked: 'kubeGroups', field: 'kubernetes_groups', many: true, main: true },
  ],
  namesAddUp: true,
  hasPods: true,
  recording: 'terminal',
  joinable: true,
  countsAlways: true,
  sortable: ['name'],
  nameField: 'kubernetes_cluster_name',
});
