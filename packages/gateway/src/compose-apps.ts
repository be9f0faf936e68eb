/** Puts together what applications are made of: their directory, the ways to them, the sessions, and the door of their hosts. */
import type { AccessControl, Subject } from './access/create-access.ts';
import { openAppDirectory } from './apps/app-directory.ts';
import { createAppDoor } from './apps/app-door.ts';
import { appHandlers } from './apps/app-handlers.ts';
import type { AppHosts } from './apps/app-hosts.ts';
import { createAppPasses } from './apps/app-passes.ts';
import type { AppSecrets } from './apps/app-secrets.ts';
import { createAppSessions } from './apps/app-sessions.ts';
import { createAwsSignIn } from './apps/aws/sign-in-to-aws.ts';
import { createAppDialer } from './apps/dial-app.ts';
import { identityKeyHandlers } from './apps/identity-key-handlers.ts';
import { openIdentityTokens } from './apps/identity-token.ts';
import { createLaunchDoor } from './apps/launch-door.ts';
import { serveTcpSocket } from './apps/tcp-socket.ts';
import type { Audit } from './audit/emit.ts';
import type { EventStream } from './audit/event-stream.ts';
import type { Identity } from './auth/identity.ts';
import type { Sockets } from './auth/sockets/sockets.ts';
import type { ChangeFeed } from './changes/change-feed.ts';
import type { AwsConfig } from './config/aws-schema.ts';
import type { FeatureHandlers } from './http/api-handlers.ts';
import { createClientAddress } from './http/client-address.ts';
import type { HostDoor } from './http/host-door.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type { Owners } from './sessions/host/owners.ts';
import type { SessionHost } from './sessions/host/session-host.ts';
import type { Log } from './std/log.ts';
import type { Db } from './storage/tables.ts';
import type { AgentConnections } from './tunnels/agent-connections.ts';

export interface AppParts {
  db: Db;
  feed: ChangeFeed;
  box: SecretBox;
  secrets: AppSecrets;
  access: AccessControl;
  /** Everybody there is. */
  people: () => Promise<readonly Subject[]>;
  owners: Owners;
  audit: Audit;
  events: EventStream;
  identity: Pick<Identity, 'onSignInEnd' | 'active' | 'proveAgain' | 'callerOf' | 'requireHere'>;
  host: SessionHost;
  agents: AgentConnections;
  publicOrigin(): string;
  hosts: AppHosts;
  /** Ports nobody reaches through an application. */
  ownPorts(): readonly number[];
  trustedProxies: readonly string[];
  aws: AwsConfig;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Apps {
  handlers: FeatureHandlers<'apps' | 'jwks'>;
  door: HostDoor;
  /** Call it before the application is ready. */
  serve(sockets: Sockets): void;
  /** Cuts what is open. */
  close(): void;
}

export async function composeApps(parts: AppParts): Promise<Apps> {
  const { agents, hosts, ownPorts, now } = parts;
  const directory = await openAppDirectory(parts);
  const tokens = await openIdentityTokens(parts);
  const dialer = createAppDialer({ agents, hosts, ownPorts });
  const awsSignIn = createAwsSignIn({ ...parts.aws, issuer: parts.publicOrigin });
  const deps = { ...parts, directory, tokens, dialer, awsSignIn, passes: createAppPasses(now) };
  const sessions = createAppSessions(deps);
  const launch = createLaunchDoor({ ...deps, sessions });
  const clientAddress = createClientAddress(parts.trustedProxies);
  return {
    handlers: { apps: appHandlers(deps), jwks: identityKeyHandlers(deps) },
    door: createAppDoor({ ...deps, sessions, launch, clientAddress }),
    serve: (sockets) => serveTcpSocket(sockets, deps),
    close() {
      sessions.close();
      directory.close();
      tokens.close();
    },
  };
}
