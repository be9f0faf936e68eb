/** Puts together what Kubernetes clusters are made of: their records, and what the gateway shows them. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { kubeHandlers } from '../kinds/kube/kube-handlers.ts';
import { createKubeSecrets } from '../kinds/kube/kube-secrets.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';

export interface ComposeKubeDeps {
  db: Db;
  box: SecretBox;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  agents: AgentConnections;
  index: ListIndex;
  clusterName: string;
  now: () => number;
}

export interface Kube {
  handlers: FeatureHandlers<'kubernetes'>;
}

export function composeKube(parts: ComposeKubeDeps): Kube {
  const secrets = createKubeSecrets(parts.box);
  return { handlers: { kubernetes: kubeHandlers({ ...parts, secrets }) } };
}
