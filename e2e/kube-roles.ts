/** Who is let into Kubernetes clusters in browser tests. */
const role = (name: string, resources: string) => `kind: role
version: v8
metadata: { name: ${name} }
spec:
  allow:
    kubernetes_labels: { env: prod }
    kubernetes_groups: [edit]
    kubernetes_resources: [${resources}]
    rules: [{ resources: [kube_server], verbs: [list, read] }]
---
`;
/** All of a cluster, and one namespace of it. */
export const KUBE_ROLES =
  role('kube-edit', "{ kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*'] }") +
  role('kube-shop', "{ kind: '*', api_group: '*', namespace: shop, name: '*', verbs: ['*'] }");
