/** The whole gateway in memory for tests: real SQL, real routes, a clock the test moves, no port. */
import type { Send } from '@gatehouse/contract/wire/client';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import { type AccessControl, createAccess } from '../src/access/create-access.ts';
import { type ComposedGateway, composeGateway } from '../src/compose/compose.ts';
import { openAuditLog } from '../src/evidence/audit-log/open-audit-log.ts';
import { type CreateIdentityDeps, createIdentity } from '../src/identity/create-identity.ts';
import type { Identity } from '../src/identity/identity.ts';
import type { Passwords } from '../src/identity/identity-deps.ts';
import { createAudit, GATEWAY_CHAIN } from '../src/platform/audit/emit.ts';
import { openChangeFeed } from '../src/platform/change-feed/change-feed.ts';
import type { GatewayConfig } from '../src/platform/config/resolve.ts';
import type { ShownValue } from '../src/platform/config/show-config.ts';
import { createMetrics } from '../src/platform/health/metrics.ts';
import { OWN_MISTAKE } from '../src/platform/http/error-hook.ts';
import { openSecretBox } from '../src/platform/secrets/open-secret-box.ts';
import type { SecretBox } from '../src/platform/secrets/secret-box.ts';
import type { Secret } from '../src/platform/std/secret.ts';
import type { Storage } from '../src/platform/storage/storage.ts';
import { type Certificate, checkCertificate } from '../src/platform/tls/certificate.ts';
import type { AgentConnections } from '../src/reach/agents/tunnels/agent-connections.ts';
import type { SessionHost } from '../src/sessions/host/session-host.ts';
import { testKey } from './secrets/test-key.ts';
import { openMemoryStorage } from './storage/memory-storage.ts';

export interface TestGateway {
  app: FastifyInstance;
  connections: AgentConnections;
  sessions: SessionHost;
  /** The one of MySQL listens to nobody before it is told to; there are none without a certificate. */
  dbDoors: ComposedGateway['dbDoors'];
  sshDoor: ComposedGateway['sshDoor'];
  ssh: ComposedGateway['ssh'];
  storage: Storage;
  identity: Identity;
  access: AccessControl;
  secrets: SecretBox;
  clock: { now: number; advance(ms: number): void };
  /** Lets the gateway believe that it has heard nothing from its store for so long; 0 for what is so. */
  beSilentFor(ms: number): void;
  registry: Registry;
  /** Everything the gateway logged, as text. */
  logged(): string;
  /** A caller without any cookie or token. */
  send: Send;
  /** Resolves when everything committed so far has been heard by everyone who follows changes. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedStore {
  storage: Storage;
  key: Secret;
  clock: TestGateway['clock'];
}

type TestConfig = Pick<GatewayConfig, 'listen' | 'publicAddr' | 'clusterName' | 'proxy' | 'auth' | 'drainSeconds'> &
  Partial<Pick<GatewayConfig, 'dataDir' | 'recordings' | 'aws' | 'ui' | 'canJoinSessions' | 'ssh'>>;
type Overrides = Partial<TestConfig> & {
  consoleDir?: string;
  passwords?: Passwords;
  headlessMs?: CreateIdentityDeps['headlessMs'];
  rootLostMs?: number | undefined;
  /** A store and key that several gateways share; memory of its own otherwise. */
  shared?: SharedStore;
  secure?: SecureListener;
  /** For the doors of programs of databases, where the listener itself has none. */
  doorPair?: { cert: string; key: string } | Certificate;
  /** What administrators read of the configuration. */
  shown?: readonly ShownValue[];
};

/** Its certificate, and the host people open it by. */
export interface SecureListener {
  host: string;
  cert: string;
  key: string;
}

export function originOf(secure: SecureListener | undefined): string {
  return secure ? `https://${secure.host}:3080` : 'http://localhost:3080';
}

export function testClock(): TestGateway['clock'] {
  const clock = {
    now: Date.UTC(2026, 0, 1),
    advance(ms: number) {
      clock.now += ms;
    },
  };
  return clock;
}

export async function startTestGateway(given: Overrides = {}): Promise<TestGateway> {
  const { consoleDir, passwords, headlessMs, rootLostMs, shared, secure, doorPair, shown, ...overrides } = given;
  const origin = originOf(secure);
  const clock = shared?.clock ?? testClock();
  const now = () => clock.now;
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: keep });
  function keep(line: string): void {
    lines.push(line);
    // The answer says 'internal error' and no more: whoever reads of a test that failed needs to know why.
    if (line.includes(OWN_MISTAKE)) process.stderr.write(line);
  }
  const config: TestConfig = {
    listen: { host: '127.0.0.1', port: 3080 },
    clusterName: 'localhost',
    proxy: { behind: false, trusted: [] },
    auth: { secondFactor: 'off', inactivityTimeoutMs: 0 },
    drainSeconds: 0,
    ...(secure ? { publicAddr: { host: secure.host, port: 3080, origin } } : {}),
    ...overrides,
  };
  const storage = shared?.storage ?? (await openMemoryStorage(now));
  const feed = await openChangeFeed({ storage, log, now });
  const heard = feed.silentMs.bind(feed);
  let silence = 0;
  feed.silentMs = () => heard() + silence;
  const key = shared?.key ?? testKey();
  const secrets = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log });
  const audit = createAudit({ now, clusterName: config.clusterName, chain: GATEWAY_CHAIN });
  const access = await createAccess({
    db: storage.db,
    feed,
    audit,
    log,
    now,
    canJoinSessions: config.canJoinSessions,
  });
  const identity = await createIdentity({
    config,
    storage,
    feed,
    access,
    secrets,
    publicOrigin: () => origin,
    log,
    now,
    ...(passwords ? { passwords } : {}),
    ...(headlessMs ? { headlessMs } : {}),
    rootLostMs,
  });
  const auditLog = await openAuditLog({ storage, secrets, access, audit, clusterName: config.clusterName, log, now });
  const { registry, metrics } = createMetrics({ version: 'test', processMetrics: 'none' });
  const files = { certName: 'certificate', keyName: 'key' };
  const served =
    doorPair && ('vouchedFor' in doorPair ? doorPair : checkCertificate({ ...doorPair, ...files }, Date.now()));
  const { app, connections, sessions, dbDoors, sshDoor, ssh } = await composeGateway({
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
    consoleDir: consoleDir ?? '/nonexistent',
    checkReplies: true,
    certificate: () => served,
    publicOrigin: () => origin,
    strictTransport: false,
    settings: shown,
    ...(secure ? { tls: secure } : {}),
  });
  await app.ready();
  return {
    app,
    connections,
    sessions,
    dbDoors,
    sshDoor,
    ssh,
    storage,
    identity,
    access,
    secrets,
    clock,
    beSilentFor(ms) {
      silence = ms;
    },
    registry,
    logged: () => lines.join(''),
    send: sendTo(app),
    settled: () => feed.settled(),
    async close() {
      await app.close();
      await auditLog.close();
      await identity.close();
      access.close();
      await feed.close();
      await storage.close();
    },
  };
}

/** How the contract's client reaches an application without a port. */
export function sendTo(app: FastifyInstance, headers: Record<string, string> = {}): Send {
  return async ({ method, url, body }) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        host: 'localhost:3080',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: response.statusCode, text: response.body };
  };
}
