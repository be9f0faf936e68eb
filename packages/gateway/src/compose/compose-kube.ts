/** Puts together what Kubernetes clusters are made of: their records, what the gateway shows them, and the passes of programs. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { Identity } from '../identity/identity.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import type { KubeCredentials } from '../kinds/kube/kube-credentials.ts';
import { kubeHandlers } from '../kinds/kube/kube-handlers.ts';
import { kubePassHandlers } from '../kinds/kube/kube-pass-handlers.ts';
import { createKubePasses } from '../kinds/kube/kube-passes.ts';
import { createKubeSecrets } from '../kinds/kube/kube-secrets.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../reach/reach.ts';

export interface ComposeKubeDeps {
  db: Db;
  feed: ChangeFeed;
  box: SecretBox;
  /** One for tests of connections and for requests: what agents give is kept there. */
  credentials: KubeCredentials;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  identity: Pick<Identity, 'callerOf' | 'proveAgain'>;
  agents: AgentConnections;
  reach: Reach;
  index: ListIndex;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Kube {
  handlers: FeatureHandlers<'kubernetes' | 'kubePasses'>;
  close(): void;
}

export function composeKube(parts: ComposeKubeDeps): Kube {
  const secrets = createKubeSecrets(parts.box);
  const passes = createKubePasses(parts);
  return {
    handlers: {
      kubernetes: kubeHandlers({ ...parts, secrets }),
      kubePasses: kubePassHandlers({ ...parts, passes }),
    },
    close: () => passes.close(),
  };
}
