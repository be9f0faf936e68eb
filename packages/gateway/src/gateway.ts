/** Starts a gateway: opens the world in order, composes the features, listens, and closes everything in reverse. */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  backupTaken,
  gatewayStarted,
  gatewayStopped,
  olderStoreAccepted,
} from '@gatehouse/contract/audit/gateway-events';
import { VERSION } from '@gatehouse/contract/std/version';
import { collectLargeHeap } from '@gatehouse/tunnel/shells/collect-garbage';
import { createAccess } from './access/create-access.ts';
import { composeGateway } from './compose/compose.ts';
import { insideOperations } from './compose/doctor/look-inside.ts';
import { localOperations, NOTE_BACKUP, ROTATE_SECRETS } from './doors/local-socket/local-operations.ts';
import { serveLocalSocket } from './doors/local-socket/serve-local-socket.ts';
import { admitOlderStore } from './evidence/audit-log/older-store.ts';
import { openAuditLog } from './evidence/audit-log/open-audit-log.ts';
import { createIdentity } from './identity/create-identity.ts';
import type { Identity } from './identity/identity.ts';
import { warnOfProxy } from './identity/sign-in/warn-of-proxy.ts';
import { chainName } from './platform/audit/chain-name.ts';
import { createAudit } from './platform/audit/emit.ts';
import { openChangeFeed } from './platform/change-feed/change-feed.ts';
import { isLost, lostWords } from './platform/change-feed/lost-store.ts';
import { urlHost } from './platform/config/address.ts';
import { listenError } from './platform/config/listen-error.ts';
import type { GatewayConfig } from './platform/config/resolve.ts';
import type { ShownValue } from './platform/config/show-config.ts';
import { startDiagnostics } from './platform/health/diagnostics-listener.ts';
import { createMetrics, watchNumber } from './platform/health/metrics.ts';
import { createReadiness, NotReady } from './platform/health/readiness.ts';
import { watchDescriptors } from './platform/health/watch-descriptors.ts';
import { watchDisk } from './platform/health/watch-disk.ts';
import { localDoor } from './platform/http/local-door.ts';
import { calmLog } from './platform/log/calm-log.ts';
import type { GatewayLog } from './platform/log/create-log.ts';
import { openSecretBox } from './platform/secrets/open-secret-box.ts';
import { rotateKey } from './platform/secrets/rotate-key.ts';
import { createDrain } from './platform/std/drain.ts';
import { installRoot } from './platform/std/install-root.ts';
import { StartError } from './platform/std/start-error.ts';
import { isDiskFull } from './platform/storage/errors.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import type { StoreConsent } from './platform/storage/store-guard.ts';
import type { Tx } from './platform/storage/tables.ts';
import { openTls } from './platform/tls/open-tls.ts';
import { mayForceTls } from './platform/tls/real-domain.ts';

export interface Gateway {
  /** Where people go, by a name that passkeys accept. */
  url: string;
  identity: Identity;
  /** Resolves with the reason when the gateway cannot go on; the process should end then. */
  failed: Promise<Error>;
  /**
   * Stops taking calls, lets open ones finish within the drain time, and closes everything. It takes no longer than that time,
   * or than `withinMs`: false when something did not close by then and was left behind.
   */
  close(withinMs?: number): Promise<boolean>;
}

export interface GatewayOptions {
  log: GatewayLog;
  now?: () => number;
  consent?: StoreConsent;
  /** What administrators read of the configuration. */
  settings?: readonly ShownValue[];
}

export async function startGateway(config: GatewayConfig, options: GatewayOptions): Promise<Gateway> {
  const { now = Date.now, consent = {} } = options;
  collectLargeHeap();
  const log = calmLog(options.log, now);
  const closing: [name: string, close: () => unknown][] = [];
  const drain = createDrain(config.drainSeconds);
  const closeAll = async () => {
    let isWhole = true;
    for (const [name, close] of closing.splice(0).reverse()) {
      // One that hangs or fails must not keep those after it open: the last one lets go of the data folder.
      const how = await within(Math.max(MIN_STEP_MS, drain.leftMs()), async () => close());
      if (how === 'closed') continue;
      isWhole = false;
      log.error({ part: name, ...how }, 'a part of the gateway did not close');
    }
    return isWhole;
  };
  try {
    return await open();
  } catch (error) {
    // A start that fails half-way must not keep the data folder locked or the process alive.
    drain.begin();
    await closeAll();
    throw isDiskFull(error) ? fullDisk(config, error) : error;
  }

  async function open(): Promise<Gateway> {
    const url = config.storage.url?.reveal();
    const storage = await openStorage({ url, dataDir: config.dataDir, log, now, consent });
    closing.push(['store', () => storage.close()]);
    // The port may be chosen by the system: links are made after it is known.
    let origin = publicOrigin(config, config.listen.port);
    const feed = await openChangeFeed({ storage, log, now });
    closing.push(['changes', () => feed.close()]);
    const secrets = await openSecretBox(storage.db, { dataDir: config.dataDir, ...config.secrets, log });
    const chain = chainName(storage.engine, config.dataDir);
    const isAccepted = consent.olderStore === true;
    const missing = await admitOlderStore({ db: storage.db, secrets, dataDir: config.dataDir, chain, isAccepted, now });
    const audit = createAudit({ now, clusterName: config.clusterName, chain });
    const access = await createAccess({
      db: storage.db,
      feed,
      audit,
      log,
      now,
      canJoinSessions: config.canJoinSessions,
    });
    closing.push(['access', () => access.close()]);
    warnOfProxy(config, access, log);
    const identity = await createIdentity({
      config,
      storage,
      feed,
      access,
      secrets,
      publicOrigin: () => origin,
      log,
      now,
      chain,
    });
    closing.push(['identity', () => identity.close()]);

    const tell = (write: (tx: Tx) => Promise<unknown>) => storage.db.transaction().execute(write);
    const auditLog = await openAuditLog({
      storage,
      secrets,
      access,
      audit,
      clusterName: config.clusterName,
      chain,
      config: config.audit,
      dataDir: config.dataDir,
      log,
      now,
    });
    closing.push(['audit log', () => auditLog.close()]);
    if (missing !== '') await tell((tx) => audit.emit(tx, olderStoreAccepted, { gateway: chain, error: missing }));
    const tls = await openTls({ config, log, now });
    closing.push(['tls', () => tls?.close()]);
    const { registry, metrics } = createMetrics({ version: VERSION });
    watchNumber(registry, {
      name: 'gatehouse_change_feed_silent_seconds',
      help: 'How long ago the gateway last heard from its store what has changed.',
      read: () => feed.silentMs() / 1000,
    });
    watchNumber(registry, {
      name: 'gatehouse_audit_signing_refused',
      help: '1 while this gateway does not sign the audit log, because it is not the one it signed before.',
      read: () => (auditLog.signingTrouble() === '' ? 0 : 1),
    });
    const disk = watchDisk({ storage, dataDir: config.dataDir, registry, log, now });
    closing.push(['disk', () => disk.close()]);
    const descriptors = watchDescriptors({ registry, log, now });
    closing.push(['descriptors', () => descriptors.stop()]);
    let listening = false;
    const readiness = createReadiness({
      log,
      checks: {
        storage: () => storage.probe(),
        disk: () => disk.check(),
        descriptors: () => descriptors.check(),
        changes: async () => {
          if (isLost(feed)) throw new NotReady(lostWords(feed));
        },
        listener: async () => {
          if (!listening) throw new Error('not listening yet');
        },
      },
    });
    // Opened before and closed after the public listener, so that balancers can read why they are sent away.
    if (config.diagListen) {
      const diagnostics = await startDiagnostics({ listen: config.diagListen, registry, readiness, log });
      closing.push(['diagnostics', () => diagnostics.close()]);
      log.info({ url: diagnostics.url }, 'diagnostics listening');
    }
    const { app, dbDoors, sshDoor } = await composeGateway({
      config,
      storage,
      feed,
      secrets,
      identity,
      access,
      auditLog,
      log,
      now,
      registry,
      metrics,
      consoleDir: join(installRoot(), 'packages', 'console', 'dist'),
      checkReplies: false,
      certificate: () => tls?.current(),
      publicOrigin: () => origin,
      settings: options.settings,
      drain,
      strictTransport: mayForceTls(tls?.current(), config.publicAddr?.host),
      ...(tls ? { tls: tls.current() } : {}),
    });
    closing.push(['application', () => app.close()]);

    // The framework does not know of the TLS that its listener was made with.
    const listenTextResolver = (address: string) =>
      `listening at ${tls ? address.replace(/^http:/, 'https:') : address}`;
    const { host, port } = config.listen;
    await app.listen({ host, port, listenTextResolver }).catch((error: unknown) => {
      throw listenError(error, config.listen, 'listen');
    });
    if (config.databases?.mysqlListen) await dbDoors.mysqlDoor?.listen(config.databases.mysqlListen);
    if (config.ssh?.listen) await sshDoor.listen(config.ssh.listen);
    tls?.onChange((certificate) => {
      if ('setSecureContext' in app.server) {
        (app.server as unknown as { setSecureContext(context: object): void }).setSecureContext(certificate);
      }
    });
    const ports = () => ({
      web: portOf(app.server.address()) ?? port,
      ssh: sshDoor.port(),
      mysql: dbDoors.mysqlDoor?.port(),
    });
    const socket = await serveLocalSocket({
      dataDir: config.dataDir,
      handler: localOperations({
        operations: {
          [ROTATE_SECRETS]: () => rotateKey(storage.db, secrets, log),
          ...insideOperations({ config, storage, origin: () => origin, ports, now }),
          [NOTE_BACKUP]: async () => {
            await tell((tx) => audit.emit(tx, backupTaken, { gateway: chain }));
            return {};
          },
        },
        next: localDoor(app),
        log,
      }),
    });
    closing.push(['local socket', () => socket.close()]);
    listening = true;
    await tell((tx) => audit.emit(tx, gatewayStarted, { gateway: chain, version: VERSION }));
    const tellStop = async () => {
      // A gateway whose store is lost stops all the same.
      await tell((tx) => audit.emit(tx, gatewayStopped, { gateway: chain })).catch((error: unknown) =>
        log.warn({ error }, 'the stop of the gateway could not be recorded'),
      );
    };
    closing.push(['event of the stop', tellStop]);
    origin = publicOrigin(config, ports().web);
    return {
      url: `${origin}/web`,
      identity,
      failed: storage.failed,
      async close(withinMs) {
        readiness.beginDrain();
        drain.begin(withinMs);
        return await closeAll();
      },
    };
  }
}

function portOf(address: string | AddressInfo | null): number | undefined {
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

/** Loopback is told by name: WebAuthn refuses bare addresses. */
function publicOrigin({ publicAddr, tls, listen }: GatewayConfig, port: number): string {
  if (publicAddr) return publicAddr.origin;
  const everywhere = listen.host === '0.0.0.0' || listen.host === '::';
  const byName = everywhere || listen.host === '127.0.0.1' || listen.host === '::1';
  return `${tls.mode === 'off' ? 'http' : 'https'}://${byName ? 'localhost' : urlHost(listen.host)}:${port}`;
}

function fullDisk({ dataDir, storage }: GatewayConfig, cause: unknown): StartError {
  const place = storage.url === undefined ? '' : ', or that of its database';
  return new StartError(`the disk of the data folder '${dataDir}'${place} is full: make room and start again`, {
    cause,
  });
}

/** For what comes after the time is over: it has nobody to wait for. */
const MIN_STEP_MS = 250;

async function within(
  ms: number,
  close: () => Promise<unknown>,
): Promise<'closed' | { error: unknown } | { reason: string }> {
  const { promise, resolve } = Promise.withResolvers<{ reason: string }>();
  const timer = setTimeout(() => resolve({ reason: 'its time is over' }), ms);
  const closed = close().then(
    () => 'closed' as const,
    (error: unknown) => ({ error }),
  );
  const how = await Promise.race([closed, promise]);
  clearTimeout(timer);
  return how;
}
