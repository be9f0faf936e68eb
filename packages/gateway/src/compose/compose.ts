/** Puts the features together into one HTTP application. Opens nothing and listens nowhere: starting and testing both begin here. */

import { VERSION } from '@gatehouse/contract/std/version';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { AccessControl } from '../access/create-access.ts';
import { isOwnAudience } from '../doors/agent-tunnel/audience.ts';
import { captureHandlers } from '../doors/console/capture-handlers.ts';
import { clusterHandlers } from '../doors/console/cluster-handlers.ts';
import { gatewaySettingHandlers } from '../doors/console/gateway-setting-handlers.ts';
import { openApiHandlers } from '../doors/console/open-api-handlers.ts';
import { consoleBuild } from '../doors/console/page.ts';
import { pingHandlers } from '../doors/console/ping-handlers.ts';
import { sshAddresses } from '../doors/console/ssh-addresses.ts';
import type { SshDoor } from '../doors/ssh/ssh-door.ts';
import type { AuditLog } from '../evidence/audit-log/open-audit-log.ts';
import { openPlayback } from '../evidence/recordings/open-playback.ts';
import { openRecordings, STANDARD_RECORDINGS } from '../evidence/recordings/open-recordings.ts';
import { applyHandlers } from '../identity/apply/apply-handlers.ts';
import { denialHandlers } from '../identity/explain/denial-handlers.ts';
import { explainHandlers } from '../identity/explain/explain-handlers.ts';
import { createDenials, recordDenials } from '../identity/explain/record-denials.ts';
import { createRefusals } from '../identity/explain/tell-refusals.ts';
import { whatIfHandlers } from '../identity/explain/what-if-handlers.ts';
import type { Identity } from '../identity/identity.ts';
import { lockHandlers } from '../identity/locks/lock-handlers.ts';
import { roleHandlers } from '../identity/roles/role-handlers.ts';
import { SIGN_IN_MS } from '../identity/stores/sign-in-store.ts';
import { listUsers } from '../identity/stores/user-store.ts';
import { createAnnouncer } from '../inventory/announce.ts';
import { startLabelSweep } from '../inventory/sweep-label-sets.ts';
import { createAppHosts } from '../kinds/app/app-hosts.ts';
import { openAppSecrets } from '../kinds/app/app-secrets.ts';
import { sealOldApps } from '../kinds/app/seal-old-apps.ts';
import { sortOldDbs } from '../kinds/db/sort-old-dbs.ts';
import { createOfferedKinds } from '../kinds/kinds.ts';
import { withinRequest } from '../platform/audit/request-scope.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { requireStore } from '../platform/change-feed/lost-store.ts';
import { type AwsConfig, STANDARD_AWS } from '../platform/config/aws-schema.ts';
import type { RecordingConfig } from '../platform/config/recording-schema.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import type { ShownValue } from '../platform/config/show-config.ts';
import type { Metrics } from '../platform/health/metrics.ts';
import { watchContained } from '../platform/health/watch-contained.ts';
import { bindApi } from '../platform/http/bind-api.ts';
import type { HostDoor, PathDoor } from '../platform/http/hosts/host-door.ts';
import { createServer } from '../platform/http/server.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import { createDrain, type Drain } from '../platform/std/drain.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { type Certificate, unknownAuthority } from '../platform/tls/certificate.ts';
import { createIamJoins } from '../reach/agents/iam/iam-joins.ts';
import { joinEndpoint } from '../reach/agents/join-tokens/install-command.ts';
import { joinTokenHandlers } from '../reach/agents/join-tokens/join-token-handlers.ts';
import { createJoinTokens } from '../reach/agents/join-tokens/redeem-join-token.ts';
import { agentHandlers } from '../reach/agents/registry/agent-handlers.ts';
import { listAgents } from '../reach/agents/registry/agent-store.ts';
import { createJoinChallenges } from '../reach/agents/registry/join-challenges.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import { createReach } from '../reach/create-reach.ts';
import { createBoundedFetch } from '../reach/direct/bounded-fetch.ts';
import { createOwners } from '../sessions/host/owners.ts';
import type { SessionHost } from '../sessions/host/session-host.ts';
import { bindDeps } from './bind-deps.ts';
import { closeInOrder } from './close-in-order.ts';
import { openTunnels } from './compose-agents.ts';
import { composeApps } from './compose-apps.ts';
import { composeClusters } from './compose-clusters.ts';
import { composeDatabases, type Databases } from './compose-databases.ts';
import { composeDesktops } from './compose-desktops.ts';
import { composeFiles } from './compose-files.ts';
import { composeKube } from './compose-kube.ts';
import { composeServers, type Servers } from './compose-servers.ts';
import { composeSessions } from './compose-sessions.ts';
import { composeSshDoor } from './compose-ssh-door.ts';
import { hostNames } from './host-names.ts';
import { lockedSessions } from './locked-sessions.ts';
import { ownListeners } from './own-listeners.ts';
import { serveConsole } from './serve-console.ts';
import { serveInstalls } from './serve-installs.ts';
import { tellRoots } from './tell-roots.ts';

export interface ComposeDeps {
  config: Pick<
    GatewayConfig,
    'listen' | 'publicAddr' | 'clusterName' | 'proxy' | 'drainSeconds' | 'ui' | 'canJoinSessions' | 'nodes' | 'ssh'
  > & {
    /** Where recordings go; without it nothing is recorded. */
    dataDir?: string;
    diagListen?: GatewayConfig['listen'];
    recordings?: RecordingConfig;
    aws?: AwsConfig;
    storage?: GatewayConfig['storage'];
  };
  storage: Pick<Storage, 'db'>;
  feed: ChangeFeed;
  secrets: SecretBox;
  identity: Identity;
  access: AccessControl;
  auditLog: AuditLog;
  log: FastifyBaseLogger;
  now: () => number;
  registry: Registry;
  metrics: Metrics;
  /** The folder the console was built into. */
  consoleDir: string;
  checkReplies: boolean;
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** The certificate served now; undefined without TLS. */
  certificate(): Certificate | undefined;
  /** Where people open the console, known once the gateway listens. */
  publicOrigin(): string;
  strictTransport: boolean;
  /** What the configuration says, with where each value came from, for administrators to read. */
  settings?: readonly ShownValue[] | undefined;
  /** Where whoever closes the application shares its time with others. */
  drain?: Drain;
}

export interface ComposedGateway {
  app: FastifyInstance;
  connections: AgentConnections;
  sessions: SessionHost;
  dbDoors: Pick<Databases, 'native' | 'mysqlDoor' | 'made' | 'approvals'>;
  sshDoor: SshDoor;
  ssh: Servers['ssh'];
}

export async function composeGateway(parts: ComposeDeps): Promise<ComposedGateway> {
  const { config, storage, feed, identity, access, log, now } = parts;
  const { db } = storage;
  let door: HostDoor | undefined;
  let pathDoor: PathDoor | undefined;
  let dbDoors: ComposedGateway['dbDoors'] | undefined;
  const app = createServer({
    log,
    trustedProxies: config.proxy.behind ? config.proxy.trusted : [],
    hostNames: hostNames(config),
    metrics: parts.metrics,
    strictTransport: parts.strictTransport,
    hostDoor: () => door,
    pathDoor: () => pathDoor,
    nativeDoor: () => dbDoors?.native,
    ...(parts.tls ? { tls: parts.tls } : {}),
  });
  const stopWatching = watchContained({ metrics: parts.metrics, log, now });
  app.addHook('onClose', async () => stopWatching());
  const { audit } = parts.auditLog;
  const linked = composeClusters(app, { ...parts, db, audit, federation: identity.federation });
  const { clusters } = linked;
  const deps = bindDeps({ identity, feed, clusters, now, checkReplies: parts.checkReplies });
  const publicAddr = config.publicAddr && `${config.publicAddr.host}:${config.publicAddr.port}`;
  const passkeyHost = config.publicAddr?.host ?? 'localhost';
  const facts = { version: VERSION, clusterName: config.clusterName, publicAddr };
  app.addHook('onRequest', (request, _reply, done) => withinRequest(request.id, done));
  app.addHook('preClose', async () => parts.auditLog.beginClose());
  const asking = { db, access, now, clusterName: config.clusterName };
  const denials = createDenials(asking);
  const refusals = createRefusals({ db, audit, log });
  recordDenials(app, denials, refusals);
  app.addHook('preClose', () => refusals.close());
  const tokens = createJoinTokens({ db, audit, log, now });
  const announcer = createAnnouncer({ db, now, log });
  const labelSweep = startLabelSweep(db, log);
  const { registry } = parts;
  const hosts = createAppHosts(parts.publicOrigin);
  const appSecrets = await openAppSecrets(db, parts.secrets, now());
  await sealOldApps(db, appSecrets, log);
  await sortOldDbs(db, now());
  const connections = await openTunnels(app, {
    config,
    db,
    feed,
    access,
    audit,
    announcer,
    kinds: createOfferedKinds({ config, hosts, secrets: appSecrets }),
    leaves: linked.leaves,
    ...{ registry, log, now },
  });
  const joining = {
    challenges: createJoinChallenges({ db, secrets: parts.secrets, now }),
    isAudience: (audience: string, asked: string) => isOwnAudience(config, audience, asked),
  };
  const people = async () =>
    (await listUsers(db)).map(({ name, roles, traits }) => ({ username: name, roles, traits }));
  const reach = createReach({ agents: connections, own: ownListeners(app.server, config, hosts, () => dbDoors) });
  // Providers live on private networks, and some on this machine; the gateway's own listeners never are.
  const providerFetch = (mayBeThisMachine: boolean) =>
    createBoundedFetch(({ addr, tls }, signal) =>
      reach.dial(
        {
          addr,
          through: 'gateway',
          mayBeThisMachine,
          tls: tls && {
            ...{ name: tls.name, ca: tls.ca ?? '', protocols: ['http/1.1'] },
            insecureSkipVerify: tls.isUnchecked === true,
          },
        },
        { who: { user: '', session: '' }, signal },
      ),
    );
  const fetches = { elsewhere: providerFetch(false), anywhere: providerFetch(true) };
  const { joinEndpoint: endpoint } = config.aws ?? STANDARD_AWS;
  const iam = createIamJoins({
    ...{ db, now, endpoint },
    // STS itself is never on this machine; another way to it that somebody has set may be.
    fetch: endpoint === undefined ? fetches.elsewhere : fetches.anywhere,
  });
  const connectors = identity.openConnectors(fetches);
  const servers = composeServers({
    ...parts,
    ...asking,
    ...joining,
    audit,
    tokens,
    agents: connections,
    ...{ people, reach, cloudFetch: fetches.anywhere, aws: config.aws ?? STANDARD_AWS },
    backgroundChecks: config.nodes?.backgroundChecks ?? true,
  });
  const recordings = await openRecordings({
    ...asking,
    audit,
    signer: parts.auditLog.signer,
    earlierKeys: parts.auditLog.signer.earlierKeys,
    dataDir: config.dataDir,
    config: config.recordings ?? STANDARD_RECORDINGS,
    log,
  });
  const playback = openPlayback({
    ...asking,
    ...recordings,
    keys: [parts.auditLog.signer.publicKey, ...parts.auditLog.signer.earlierKeys],
    openings: recordings.openings,
    feed,
    log,
  });
  const owners = createOwners({ db, feed, access });
  const told = tellRoots({ ...asking, feed, federation: identity.federation, log });
  const sessions = composeSessions(app, {
    ...{ ...parts, ...asking, owners, audit, denials, servers },
    agents: connections,
    events: parts.auditLog.stream,
    recorder: recordings.recorder,
  });
  const files = composeFiles({ ...parts, ...asking, host: sessions.host, audit, denials, servers });
  const dialled = {
    ...parts,
    people,
    box: parts.secrets,
    ...asking,
    audit,
    events: parts.auditLog.stream,
    host: sessions.host,
    agents: connections,
    reach,
    tokens,
    index: servers.index,
  };
  const kube = composeKube({
    ...{
      ...dialled,
      clusters,
      credentials: servers.kubeCredentials,
      terminals: sessions.terminals,
      recorder: recordings.recorder,
    },
    trustedProxies: config.proxy.behind ? config.proxy.trusted : [],
  });
  const apps = await composeApps({
    ...dialled,
    clusters,
    dialKube: kube.dialPort,
    secrets: appSecrets,
    hosts,
    trustedProxies: config.proxy.behind ? config.proxy.trusted : [],
    ...{ aws: config.aws ?? STANDARD_AWS, cloudFetch: fetches.anywhere },
  });
  const databases = composeDatabases({
    ...{ ...dialled, ...servers.dbs, clusters, requireStore: () => requireStore(feed) },
    statements: recordings.statements,
    served: () => parts.certificate() ?? parts.tls,
    publicHost: () => hosts.base(),
  });
  const desktops = composeDesktops({
    ...{ ...dialled, sessions, recorder: recordings.desktops },
    dataDir: config.dataDir,
  });
  const sshDoor = composeSshDoor(app, { ...dialled, clusters, sessions, servers, recorder: recordings.recorder });
  pathDoor = kube.door;
  dbDoors = databases;
  app.addHook('preClose', async () => databases.mysqlDoor?.close());
  door = apps.door;
  const drain = parts.drain ?? createDrain(config.drainSeconds);
  closeInOrder(app, { drain, agents: connections, clusters: linked, sessions, files, doors: [apps, kube], log });
  app.addHook('onClose', async () => {
    owners.close();
    told.close();
    await playback.close();
    await databases.recorded();
    await recordings.close();
    await databases.close();
    await desktops.close();
    await servers.close();
    tokens.close();
    await announcer.close();
    await labelSweep.close();
  });

  bindApi(
    app,
    {
      ping: pingHandlers({
        ...facts,
        ssh: () => sshAddresses(config, sshDoor.port()),
        auth: identity.pageAuth,
        connectors: identity.offered,
        consoleBuild: consoleBuild(parts.consoleDir),
        ...{ passkeyHost, sshFingerprint: servers.ssh.hostKey.fingerprint },
      }),
      gatewaySettings: gatewaySettingHandlers({
        ...facts,
        access,
        signInMs: SIGN_IN_MS,
        settings: parts.settings ?? [],
      }),
      clusters: clusterHandlers({
        ...{ ...facts, ...asking, ...servers },
        ownAlerts: async (actor) => [...(await databases.alerts(actor)), ...identity.federation.alerts(actor)],
        federation: identity.federation,
      }),
      roles: roleHandlers({ db, access, audit, now }),
      explain: explainHandlers(asking),
      whatIf: whatIfHandlers(asking),
      denials: denialHandlers(asking),
      apply: applyHandlers({
        ...{ ...asking, audit, people, secrets: parts.secrets },
        publicOrigin: parts.publicOrigin,
        requireProof: identity.requireFreshProof,
        resources: [apps, databases, kube, desktops].map(({ documents }) => documents),
      }),
      locks: lockHandlers({
        ...asking,
        audit,
        sessions: lockedSessions(db, config.clusterName),
        agents: () => listAgents(db, config.clusterName),
      }),
      ...identity.federation.open({
        fetches,
        endpoint: (callerOrigin) => joinEndpoint(parts, callerOrigin),
        authority: () => (config.proxy.behind ? undefined : unknownAuthority(parts.certificate())),
      }),
      joinTokens: joinTokenHandlers({ ...asking, audit, place: parts }),
      agents: agentHandlers({
        ...asking,
        audit,
        tokens,
        connections,
        ...joining,
        iam,
      }),
      capture: captureHandlers(parts.registry),
      openApi: openApiHandlers(),
      ...servers.handlers,
      ...apps.handlers,
      ...databases.handlers,
      ...kube.handlers,
      ...desktops.handlers,
      ...sessions.handlers,
      ...recordings.handlers,
      ...playback.handlers,
      ...files.handlers,
      ...parts.auditLog.handlers,
      ...identity.handlers,
      ...connectors.handlers,
    },
    deps,
  );
  const sockets = identity.openSockets(app, { clusters });
  sessions.serve(sockets, kube);
  apps.serve(sockets);
  sshDoor.serve(sockets);
  databases.serve(sockets, app);
  kube.serve(sockets);
  desktops.serve(sockets);
  playback.serve(sockets);
  serveInstalls(app, {
    clusterName: config.clusterName,
    originFor: (callerOrigin) => joinEndpoint(parts, callerOrigin).origin,
    authority: () => unknownAuthority(parts.certificate()),
    sshAuthorities: servers.trustedKeys,
    ...{ isGood: tokens.isGood, matchersOf: tokens.matchersOf },
  });
  await serveConsole(app, parts);
  return { app, connections, sessions: sessions.host, dbDoors, sshDoor, ssh: servers.ssh };
}
