/** Puts together what applications are made of: their directory, the ways to them, the sessions, and the door of their hosts. */
import type { AccessControl, Subject } from '../access/create-access.ts';
import type { ResourceDocuments } from '../identity/apply/resource-documents.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { openAppDirectory } from '../kinds/app/app-directory.ts';
import { appDocuments } from '../kinds/app/app-documents.ts';
import { createAppDoor } from '../kinds/app/app-door.ts';
import { appHandlers } from '../kinds/app/app-handlers.ts';
import type { AppHosts } from '../kinds/app/app-hosts.ts';
import type { AppSecrets } from '../kinds/app/app-secrets.ts';
import { createAppSessions } from '../kinds/app/app-sessions.ts';
import { createAwsSignIn } from '../kinds/app/aws/sign-in-to-aws.ts';
import { createAppDialer, type KubePortDial } from '../kinds/app/dial-app.ts';
import { createElsewhereApps } from '../kinds/app/elsewhere/elsewhere-apps.ts';
import { identityKeyHandlers } from '../kinds/app/identity-key-handlers.ts';
import { openIdentityTokens } from '../kinds/app/identity-token.ts';
import { createLaunchDoor } from '../kinds/app/launch-door.ts';
import { createRelayedSessions } from '../kinds/app/relayed/relayed-sessions.ts';
import { serveAppWebSocket } from '../kinds/app/relayed/web-socket.ts';
import { appTcpDoor } from '../kinds/app/tcp-door.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { AwsConfig } from '../platform/config/aws-schema.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Clusters } from '../platform/http/cluster.ts';
import { createClientAddress } from '../platform/http/hosts/client-address.ts';
import type { HostDoor } from '../platform/http/hosts/host-door.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { BoundedFetch } from '../reach/direct/bounded-fetch.ts';
import type { Reach } from '../reach/reach.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import { createMfaPasses } from '../sessions/tcp/mfa-passes.ts';
import { serveTcpSocket } from '../sessions/tcp/tcp-socket.ts';

export interface ComposeAppsDeps {
  db: Db;
  feed: ChangeFeed;
  box: SecretBox;
  secrets: AppSecrets;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  events: EventStream;
  identity: Pick<Identity, 'active' | 'proveAgain' | 'callerOf' | 'requireHere' | 'onSignInEnd'>;
  host: SessionHost;
  agents: AgentConnections;
  reach: Reach;
  cloudFetch: BoundedFetch;
  dialKube: KubePortDial;
  publicOrigin(): string;
  hosts: AppHosts;
  index: ListIndex;
  trustedProxies: readonly string[];
  aws: AwsConfig;
  clusterName: string;
  clusters: Pick<Clusters, 'find' | 'hasLeaves'>;
  log: Log;
  now: () => number;
}

export interface Apps {
  /** Their records, for who keeps them in files. */
  documents: ResourceDocuments;
  handlers: FeatureHandlers<'apps' | 'jwks'>;
  door: HostDoor;
  /** Call it before the application is ready. */
  serve(sockets: Sockets): void;
  /** Cuts what is open. */
  close(): void;
}

export async function composeApps(parts: ComposeAppsDeps): Promise<Apps> {
  const { now } = parts;
  const directory = await openAppDirectory(parts);
  const tokens = await openIdentityTokens(parts);
  const dialer = createAppDialer(parts.reach, parts.dialKube);
  const awsSignIn = createAwsSignIn({ ...parts.aws, cloudFetch: parts.cloudFetch, issuer: parts.publicOrigin });
  const elsewhere = createElsewhereApps({ ...parts, directory });
  const deps = { ...parts, directory, tokens, dialer, awsSignIn, elsewhere, passes: createMfaPasses(now) };
  const relayed = createRelayedSessions(deps);
  const sessions = createAppSessions(deps);
  const launch = createLaunchDoor({ ...deps, sessions });
  const clientAddress = createClientAddress(parts.trustedProxies);
  return {
    documents: appDocuments(deps),
    handlers: { apps: appHandlers(deps), jwks: identityKeyHandlers(deps) },
    door: createAppDoor({ ...deps, sessions, launch, clientAddress }),
    serve(sockets) {
      serveTcpSocket(sockets, appTcpDoor(deps));
      serveAppWebSocket(sockets, { ...deps, relayed });
    },
    close() {
      sessions.close();
      relayed.close();
      elsewhere.close();
      directory.close();
      tokens.close();
    },
  };
}
