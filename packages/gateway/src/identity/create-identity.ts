/** Makes identity out of the store, the change feed and the configuration. */
import type { FastifyInstance } from 'fastify';
import type { AccessControl } from '../access/create-access.ts';
import { mayEverReach } from '../access/reach.ts';
import { createAudit, GATEWAY_CHAIN } from '../platform/audit/emit.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { requireStore } from '../platform/change-feed/lost-store.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import { onlyCluster } from '../platform/http/cluster.ts';
import { isLocal } from '../platform/http/local-door.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { mfaDeviceHandlers } from './account/mfa-device-handlers.ts';
import { passwordHandlers } from './account/password-handlers.ts';
import { recoveryHandlers } from './account/recovery-handlers.ts';
import { lockOutHandlers, signInsHandlers } from './account/sign-ins-handlers.ts';
import { apiTokenHandlers } from './cli-login/api-token-handlers.ts';
import { createApprovals } from './cli-login/approvals.ts';
import { cliLoginHandlers } from './cli-login/cli-login-handlers.ts';
import { type Connectors, createConnectors } from './connectors/create-connectors.ts';
import { refuseProvidersGift } from './connectors/manage/gift-of.ts';
import { enterOtherwise } from './connectors/sign-in/other-way-in.ts';
import { hashPassword, verifyNobody, verifyPassword } from './credentials/password-hash.ts';
import { warnOfNewHost } from './factors/key-host.ts';
import { askForFactor, takesKeys } from './factors/second-factor.ts';
import { createFederation } from './federation/create-federation.ts';
import { relayedExchange } from './federation/news/relayed-exchange.ts';
import { askHeadless } from './headless/ask-headless.ts';
import { headlessHandlers } from './headless/headless-handlers.ts';
import { createHeadlessWaits } from './headless/headless-waits.ts';
import type { Identity } from './identity.ts';
import type { AuthSettings, IdentityDeps, Passwords } from './identity-deps.ts';
import { createAddressGuard } from './sign-in/address-guard.ts';
import { createAuthenticate } from './sign-in/authenticate.ts';
import { createAttempts } from './sign-in/failures.ts';
import { createLastActive } from './sign-in/last-active.ts';
import { localActor } from './sign-in/local-actor.ts';
import { createLoginFailures, loginFailureHandlers } from './sign-in/login-failures.ts';
import { mfaLoginHandlers } from './sign-in/mfa-login-handlers.ts';
import { pageSignIn } from './sign-in/page-sign-in.ts';
import { signInHandlers } from './sign-in/sign-in-handlers.ts';
import { createSignInWatch } from './sign-in/sign-in-watch.ts';
import { endInactive } from './sign-in/sign-out.ts';
import { sweepIdentity } from './sign-in/sweep.ts';
import { somebodyPins } from './sign-in/tied-address.ts';
import { serveChangesSocket } from './sockets/changes-socket.ts';
import { openSockets } from './sockets/sockets.ts';
import { proveAgain } from './step-up/prove-again.ts';
import { hasDevices, requireRecentFactor } from './step-up/recent-proof.ts';
import { readRemoteName } from './stores/remote-name.ts';
import { createSignInCache, type LiveSignIn } from './stores/sign-in-cache.ts';
import { createUnclaimed, firstAdminInvite } from './users/first-admin.ts';
import { userHandlers } from './users/user-handlers.ts';
import { userListHandlers } from './users/user-list-handlers.ts';
import { userRecordHandlers } from './users/user-record-handlers.ts';

const SWEEP_EVERY_MS = 60_000;

export interface CreateIdentityDeps {
  config: Pick<GatewayConfig, 'clusterName' | 'publicAddr' | 'auth'>;
  storage: Pick<Storage, 'db' | 'cluster'>;
  access: AccessControl;
  secrets: SecretBox;
  feed: ChangeFeed;
  /** Where people open the console, known once the gateway listens. */
  publicOrigin(): string;
  log: Log;
  now: () => number;
  /** Names this gateway's chain of audit events. */
  chain?: string;
  /** Another price per password, for tests. */
  passwords?: Passwords;
  /** Other times that calls of headless requests are held for, likewise. */
  headlessMs?: { holdMs: number; lookMs: number };
  /** Another time after which people of a root that is away are sent out, likewise. */
  rootLostMs?: number | undefined;
}

const ARGON2: Passwords = { hash: hashPassword, verify: verifyPassword, verifyNobody };

export async function createIdentity(deps: CreateIdentityDeps): Promise<Identity> {
  const { config, storage, feed, log, now } = deps;
  const { db } = storage;
  const settings: AuthSettings = {
    secondFactor: config.auth.secondFactor,
    inactivityTimeoutMs: config.auth.inactivityTimeoutMs,
    connectorName: config.auth.connectorName ?? 'local',
    rpId: config.publicAddr?.host ?? 'localhost',
    origins: config.publicAddr ? [config.publicAddr.origin] : [],
    clusterName: config.clusterName,
    publicOrigin: deps.publicOrigin,
  };
  const audit = createAudit({ now, clusterName: config.clusterName, chain: deps.chain ?? GATEWAY_CHAIN });
  const cache = createSignInCache(db, now, deps.access);
  const lastActive = createLastActive({ db, log });
  const attempts = createAttempts({ db, now });
  const passwords = deps.passwords ?? ARGON2;
  const parts: IdentityDeps = {
    db,
    now,
    log,
    audit,
    access: deps.access,
    passwords,
    secrets: deps.secrets,
    settings,
    cache,
    enterOtherwise: (tx, user) => enterOtherwise({ access: deps.access, audit, now }, tx, user),
    refuseProvidersGift: (tx, actor, user) => refuseProvidersGift(tx, { access: deps.access, actor }, user),
  };
  const isLocked = ({ user }: LiveSignIn) =>
    deps.access.lockOn({ username: user.name, roles: user.roles }) !== undefined;
  const guard = createAddressGuard({ db, now, audit, access: deps.access, cache, log });
  const authenticate = createAuthenticate({
    guard,
    cache,
    lastActive,
    settings,
    now,
    isLocked,
    endInactive: (live) => endInactive(parts, live),
  });
  const watch = createSignInWatch({
    feed,
    cache,
    now,
    isLocked,
    alive: authenticate.isAlive,
    somebodyPins: () => somebodyPins(deps.access),
    isElsewhere: guard.isElsewhere,
  });
  const loginFailures = createLoginFailures({ secrets: deps.secrets, now });
  const waits = createHeadlessWaits(feed);
  const full = { ...parts, attempts, lastActive, guard, waits, ...deps.headlessMs };
  const { clusterId } = storage.cluster;
  const federation = await createFederation({
    ...{ ...parts, feed, clusterId, clusterName: config.clusterName, watch, lostMs: deps.rootLostMs },
    factors: {
      ask: ({ username, signInId }, leafId) =>
        askForFactor(parts, { purpose: 'mfa', user: username, signInId, tiedTo: leafId }),
      prove: async (who, { code, key }, leafId) =>
        proveAgain(full, who, { code, key, through: leafId }, await relayedExchange(parts, who)),
    },
  });
  let connectors: Connectors | undefined;
  const offered = async () => (await connectors?.offered.list()) ?? [];

  await warnOfNewHost(db, settings.rpId, log);
  const sweep = () => sweepIdentity(db, now()).catch((error: unknown) => log.warn({ error }, 'sweeping failed'));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref();

  return {
    authenticate: async (request, route) => (isLocal(request) ? localActor() : authenticate.request(request, route)),
    callerOf: ({ username, signInId, isOwner, address }) => ({
      username,
      signInId,
      now: async () => (isOwner ? localActor() : authenticate.now(signInId, address)),
    }),
    requireHere: guard.requireById,
    pageSignIn: (request, reply) => pageSignIn({ ...parts, authenticate }, request, reply),
    pageAuth: async () => ({
      second_factor: settings.secondFactor,
      providers: (await offered()).map(({ provider }) => provider),
      allowPasswordless: takesKeys(settings.secondFactor),
      preferredLocalMfa: takesKeys(settings.secondFactor) ? 'webauthn' : '',
      localConnectorName: settings.connectorName === 'passwordless' ? 'passwordless' : '',
      privateKeyPolicy: 'none',
    }),
    offered,
    rechecks: () => connectors!.rechecks,
    openConnectors(fetches) {
      connectors = createConnectors({ ...full, byCookie: authenticate.cookie, loginFailures, feed, fetches });
      return connectors;
    },
    handlers: {
      signIn: signInHandlers(full),
      signIns: signInsHandlers(full),
      loginFailures: loginFailureHandlers(loginFailures),
      mfa: { ...mfaLoginHandlers(full), ...mfaDeviceHandlers(full) },
      passwords: passwordHandlers(full),
      recovery: recoveryHandlers(full),
      lockOuts: lockOutHandlers(parts),
      cliLogin: cliLoginHandlers(full),
      headless: headlessHandlers(full),
      apiTokens: apiTokenHandlers(full),
      users: userHandlers(parts),
      userList: userListHandlers(parts),
      userRecords: userRecordHandlers(parts),
    },
    federation,
    askHeadless: (asked, exchange) =>
      askHeadless({ db, now, waits, clusterName: settings.clusterName, ...deps.headlessMs }, asked, exchange),
    approvals: createApprovals(parts),
    askForFactor: ({ username, signInId }) =>
      readRemoteName(username)
        ? federation.factors.ask({ username, signInId })
        : askForFactor(parts, { purpose: 'mfa', user: username, signInId }),
    proveAgain: (actor, answer, exchange) =>
      readRemoteName(actor.username)
        ? federation.factors.prove(actor, answer)
        : proveAgain(full, actor, answer, exchange),
    requireFreshProof: async (at, actor) =>
      actor.isOwner ? undefined : requireRecentFactor({ ...parts, db: at }, actor),
    requireOwnFactor: async (at, actor) => {
      const proof = { ...parts, db: at };
      if (!actor.isOwner && (await hasDevices(proof, actor.username))) await requireRecentFactor(proof, actor);
    },
    onSignInEnd: (signInId, listener) => watch.onEnd(signInId, listener),
    active: (signInId) => lastActive.touch(signInId, now()),
    openSockets(app: FastifyInstance, { clusters = onlyCluster(settings.clusterName), ...options } = {}) {
      const signIns = { authenticate, watch, lastActive, now, requireStore: () => requireStore(feed), ...options };
      const sockets = openSockets(app, signIns, clusters);
      serveChangesSocket(sockets, feed, {
        onChange: deps.access.onChange,
        mayList: (actor, of) => mayEverReach(deps.access, actor, 'list', of),
      });
      // Before the application waits for its calls: these would keep it for minutes.
      app.addHook('preClose', async () => waits.close());
      return sockets;
    },
    loginFailures,
    isUnclaimed: createUnclaimed(db),
    firstAdminInvite: () => firstAdminInvite(parts),
    async close() {
      clearInterval(timer);
      waits.close();
      watch.close();
      federation.close();
      await connectors?.close();
      await lastActive.close();
    },
  };
}
