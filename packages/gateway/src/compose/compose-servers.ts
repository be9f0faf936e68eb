/** Puts together what servers are made of: the authority for SSH, the ways to them, their entries, and tests of connections. */
import { rows } from '@gatehouse/contract/kinds/kinds';
import { listQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl, Subject } from '../access/create-access.ts';
import { createDbAuthorities, type DbAuthorities } from '../identity/authorities/db/create-db-authorities.ts';
import { createSshAuthorities } from '../identity/authorities/ssh/create-ssh-authorities.ts';
import { sshAuthorityHandlers } from '../identity/authorities/ssh/ssh-authority-handlers.ts';
import type { Identity } from '../identity/identity.ts';
import { createListIndex, type ListIndex } from '../inventory/list-index/create-list-index.ts';
import { type CloudSignIns, createCloudSignIns } from '../kinds/db/clouds/cloud-sign-ins.ts';
import { createDbStates, type DbStates } from '../kinds/db/db-states.ts';
import { startCertificateLooks } from '../kinds/db/look-at-certificates.ts';
import { createKinds } from '../kinds/kinds.ts';
import { createKubeCredentials, type KubeCredentials } from '../kinds/kube/kube-credentials.ts';
import { createKubeSecrets } from '../kinds/kube/kube-secrets.ts';
import { startNodeChecks } from '../kinds/node/check-nodes.ts';
import { createNodeConnections, type NodeConnections } from '../kinds/node/connect-node.ts';
import { nodeHandlers } from '../kinds/node/node-handlers.ts';
import { createNodeList } from '../kinds/node/node-list.ts';
import { createNodeStates } from '../kinds/node/node-states.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { AwsConfig } from '../platform/config/aws-schema.ts';
import { googleEnvironment } from '../platform/config/google-environment.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { JoinTokens } from '../reach/agents/join-tokens/redeem-join-token.ts';
import type { JoinChallenges } from '../reach/agents/registry/join-challenges.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { BoundedFetch } from '../reach/direct/bounded-fetch.ts';
import type { Reach } from '../reach/reach.ts';
import { diagnosticHandlers } from '../sessions/connection-tests/diagnostic-handlers.ts';
import type { SessionKinds } from '../sessions/kind.ts';
import { composeSsh, type Ssh } from './compose-ssh.ts';

/** With an order: a list without one is not counted. */
const COUNTED = listQuery.parse({ limit: '1', sort: 'hostname:asc' });

export interface ComposeServersDeps {
  db: Db;
  feed: ChangeFeed;
  secrets: SecretBox;
  access: AccessControl;
  audit: Audit;
  identity: Pick<Identity, 'proveAgain' | 'askHeadless'>;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  tokens: JoinTokens;
  challenges: JoinChallenges;
  isAudience(audience: string, asked: string): boolean;
  agents: AgentConnections;
  reach: Reach;
  cloudFetch: BoundedFetch;
  aws: AwsConfig;
  /** Whether servers are looked at while nobody uses them. */
  backgroundChecks: boolean;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Servers {
  handlers: FeatureHandlers<'nodes' | 'sshAuthorities' | 'sshCertificates' | 'diagnostics'>;
  /** How many servers somebody sees. */
  countNodes(actor: Actor): Promise<number>;
  /** For sessions: how a resource is dialled, and how somebody is signed in to a server. */
  reach: Reach;
  nodes: NodeConnections;
  /** What the SSH door stands on. */
  ssh: Ssh;
  kinds: SessionKinds;
  /** One of each for tests of connections and for sessions: keys for databases, and what is learned of them. Close with these. */
  dbs: { dbAuthorities: DbAuthorities; states: DbStates; clouds: CloudSignIns };
  /** One for tests of connections and for requests. */
  kubeCredentials: KubeCredentials;
  /** Of every kind; closes with these. */
  index: ListIndex;
  /** Lines for TrustedUserCAKeys, for the install script. */
  trustedKeys(): Promise<string[]>;
  close(): Promise<void>;
}

export function composeServers(parts: ComposeServersDeps): Servers {
  const { identity } = parts;
  const authorities = createSshAuthorities(parts);
  const ssh = composeSsh(parts);
  const states = createNodeStates(parts);
  const nodes = createNodeConnections({ ...parts, authorities, states });
  const dbAuthorities = createDbAuthorities(parts);
  const dbStates = createDbStates(parts);
  const clouds = createCloudSignIns({ ...parts, google: googleEnvironment() });
  const kubeCredentials = createKubeCredentials({ ...parts, secrets: createKubeSecrets(parts.secrets) });
  const kinds = createKinds({
    ...{ ...parts, nodes, connections: nodes, dbAuthorities, dbStates, clouds, kubeCredentials },
  });
  const checks = startNodeChecks({ ...parts, states, isOn: parts.backgroundChecks });
  const looks = startCertificateLooks({ ...parts, dbAuthorities, states: dbStates, isOn: parts.backgroundChecks });
  const index = createListIndex(parts);
  for (const { kind, offered } of rows) if (offered) index.prepare({ cluster: parts.clusterName, kind });
  const list = createNodeList({ ...parts, index });
  return {
    reach: parts.reach,
    nodes,
    ssh,
    kinds,
    dbs: { dbAuthorities, states: dbStates, clouds },
    kubeCredentials,
    index,
    countNodes: async (actor) => (await list.list(actor, COUNTED)).totalCount,
    trustedKeys: async () => (await authorities.list()).map(({ publicKey }) => publicKey),
    handlers: {
      nodes: nodeHandlers({ ...parts, authorities, connections: nodes, index }),
      sshAuthorities: sshAuthorityHandlers({ ...parts, authorities }),
      ...ssh.handlers,
      diagnostics: diagnosticHandlers({ ...parts, kinds, proveAgain: identity.proveAgain }),
    },
    async close() {
      checks.close();
      looks.close();
      authorities.close();
      ssh.close();
      dbAuthorities.close();
      await index.close();
    },
  };
}
