/** What roles call the kinds of resources. */

import type { LabelField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Kind } from '@gatehouse/contract/kinds/kinds';

interface KindRule {
  /** The labels that reach it. */
  field: LabelField;
  /** What rules call it; the first one lists it. */
  resources: readonly [string, ...string[]];
}

export const KIND_RULES: Record<Kind, KindRule> = {
  node: { field: 'node_labels', resources: ['node'] },
  app: { field: 'app_labels', resources: ['app_server', 'app'] },
  kube: { field: 'kubernetes_labels', resources: ['kube_server', 'kube_cluster'] },
  db: { field: 'db_labels', resources: ['db_server', 'db'] },
  desktop: { field: 'windows_desktop_labels', resources: ['windows_desktop', 'windows_desktop_service'] },
};
