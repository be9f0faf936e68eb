/** Puts together what Kubernetes clusters are made of: their records, what the gateway shows them, and the door of programs. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ResourceDocuments } from '../identity/apply/resource-documents.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { serveBrowseSocket } from '../kinds/kube/browse/browse-socket.ts';
import { createBrowserExec, type OpenBrowserExec } from '../kinds/kube/browser-exec.ts';
import { createClusterStreams } from '../kinds/kube/cluster-streams.ts';
import { createKubePorts, type KubePorts } from '../kinds/kube/dial-kube-port.ts';
import { createKubeElsewhere } from '../kinds/kube/elsewhere/kube-elsewhere.ts';
import { createKubeCalls } from '../kinds/kube/kube-calls.ts';
import type { KubeCredentials } from '../kinds/kube/kube-credentials.ts';
import { kubeDocuments } from '../kinds/kube/kube-documents.ts';
import { createKubeDoor } from '../kinds/kube/kube-door.ts';
import { kubeHandlers } from '../kinds/kube/kube-handlers.ts';
import { kubePassHandlers } from '../kinds/kube/kube-pass-handlers.ts';
import { createKubePasses } from '../kinds/kube/kube-passes.ts';
import { createKubeSecrets } from '../kinds/kube/kube-secrets.ts';
import { createKubeUses } from '../kinds/kube/kube-use.ts';
import { findSeenKube } from '../kinds/kube/listed-kube.ts';
import { serveKubeDoorSocket } from '../kinds/kube/relayed/door-socket.ts';
import { createKubeStreams } from '../kinds/kube/serve-streams.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Clusters } from '../platform/http/cluster.ts';
import { createFailureLimit } from '../platform/http/failure-limit.ts';
import { createClientAddress } from '../platform/http/hosts/client-address.ts';
import type { PathDoor } from '../platform/http/hosts/host-door.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../reach/reach.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import type { TerminalRecorders } from '../sessions/terminal/terminal-recorder.ts';
import type { Terminals } from '../sessions/terminal/terminals.ts';

export interface ComposeKubeDeps {
  clusters: Clusters;
  db: Db;
  feed: ChangeFeed;
  box: SecretBox;
  /** One for tests of connections and for requests: what agents give is kept there. */
  credentials: KubeCredentials;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  events: EventStream;
  identity: Pick<Identity, 'active' | 'approvals' | 'askForFactor' | 'callerOf' | 'onSignInEnd' | 'proveAgain'>;
  host: SessionHost;
  terminals: Pick<Terminals, 'open'>;
  /** Undefined: nothing is recorded. */
  recorder: TerminalRecorders | undefined;
  reach: Reach;
  trustedProxies: readonly string[];
  agents: AgentConnections;
  index: ListIndex;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Kube {
  /** Their records, for who keeps them in files. */
  documents: ResourceDocuments;
  handlers: FeatureHandlers<'kubernetes' | 'kubePasses'>;
  /** Of programs. */
  door: PathDoor;
  /** To a port inside, in somebody's name. */
  dialPort: KubePorts;
  /** Of pages: shells in pods. */
  openExec: OpenBrowserExec;
  serve(sockets: Sockets): void;
  /** Cuts what is open. */
  close(): void;
}

export function composeKube(parts: ComposeKubeDeps): Kube {
  const secrets = createKubeSecrets(parts.box);
  const passes = createKubePasses(parts);
  const uses = createKubeUses(parts);
  const calls = createKubeCalls({ ...parts, uses });
  const streams = createClusterStreams({ ...parts, calls });
  const elsewhere = createKubeElsewhere(parts);
  const door = createKubeDoor({
    ...parts,
    passes,
    calls,
    failures: createFailureLimit(parts.now),
    clientAddress: createClientAddress(parts.trustedProxies),
    streams: createKubeStreams({ ...parts, streams }),
    elsewhere,
  });
  return {
    documents: kubeDocuments({ ...parts, secrets, calls }),
    handlers: {
      kubernetes: kubeHandlers({ ...parts, secrets, calls }),
      kubePasses: kubePassHandlers({ ...parts, passes }),
    },
    door,
    dialPort: createKubePorts({ ...parts, calls, streams }),
    openExec: createBrowserExec({ ...parts, calls, streams }),
    serve(sockets) {
      serveBrowseSocket(sockets, { ...parts, calls });
      const find = (actor: Actor, name: string) => findSeenKube(parts, actor, name);
      serveKubeDoorSocket(sockets, { door, find, log: parts.log });
    },
    close() {
      elsewhere.close();
      uses.close();
      passes.close();
    },
  };
}
