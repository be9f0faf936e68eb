/** Puts the features together into one HTTP application. Opens nothing and listens nowhere: starting and testing both begin here. */
import { openApiDocument } from '@gatehouse/contract/open-api';
import { VERSION } from '@gatehouse/contract/version';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { AccessControl } from './access/create-access.ts';
import { applyHandlers } from './apply/apply-handlers.ts';
import { createAudit, GATEWAY_CHAIN } from './audit/emit.ts';
import type { Identity } from './auth/identity.ts';
import { isLoopback } from './config/address.ts';
import type { GatewayConfig } from './config/resolve.ts';
import type { Metrics } from './diagnostics/metrics.ts';
import { denialHandlers } from './explain/denial-handlers.ts';
import { explainHandlers } from './explain/explain-handlers.ts';
import { createDenials, recordDenials } from './explain/record-denials.ts';
import { whatIfHandlers } from './explain/what-if-handlers.ts';
import { bindApi } from './http/api-handlers.ts';
import type { BindDeps } from './http/bind.ts';
import { servePage } from './http/page.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createServer } from './http/server.ts';
import { lockHandlers } from './locks/lock-handlers.ts';
import { roleHandlers } from './roles/role-handlers.ts';
import { captureHandlers } from './shell/capture-handlers.ts';
import { clusterHandlers } from './shell/cluster-handlers.ts';
import { pingHandlers } from './shell/ping-handlers.ts';
import type { Storage } from './storage/storage.ts';

export interface GatewayParts {
  config: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'clusterName' | 'proxy'>;
  storage: Pick<Storage, 'db'>;
  identity: Identity;
  access: AccessControl;
  log: FastifyBaseLogger;
  now: () => number;
  registry: Registry;
  metrics: Metrics;
  /** The folder the console was built into. */
  consoleDir: string;
  checkReplies: boolean;
  tls?: { cert: string | Buffer; key: string | Buffer };
  strictTransport: boolean;
}

export async function composeGateway(parts: GatewayParts): Promise<FastifyInstance> {
  const { config, storage, identity, access, log, now } = parts;
  const { db } = storage;
  const app = createServer({
    log,
    trustedProxies: config.proxy.behind ? config.proxy.trusted : [],
    hostNames: hostNames(config),
    metrics: parts.metrics,
    strictTransport: parts.strictTransport,
    ...(parts.tls ? { tls: parts.tls } : {}),
  });
  const deps: BindDeps = {
    authenticate: identity.authenticate,
    rateLimit: createRateLimit(now),
    checkReplies: parts.checkReplies,
  };
  const publicAddr = config.publicAddr && `${config.publicAddr.host}:${config.publicAddr.port}`;
  const passkeyHost = config.publicAddr?.host ?? 'localhost';
  const facts = { version: VERSION, clusterName: config.clusterName, publicAddr };
  const document = openApiDocument(VERSION);
  const audit = createAudit({ now, clusterName: config.clusterName, chain: GATEWAY_CHAIN });
  const asking = { db, access, now, clusterName: config.clusterName };
  recordDenials(app, createDenials(asking));

  bindApi(
    app,
    {
      ping: pingHandlers({ ...facts, auth: identity.pageAuth, passkeyHost }),
      clusters: clusterHandlers({ ...facts, db, access, now }),
      roles: roleHandlers({ db, access, audit, now }),
      explain: explainHandlers(asking),
      whatIf: whatIfHandlers(asking),
      denials: denialHandlers(asking),
      apply: applyHandlers({ ...asking, audit }),
      locks: lockHandlers({ db, access, audit, now, clusterName: config.clusterName }),
      capture: captureHandlers(parts.registry),
      openApi: { document: async () => document },
      ...identity.handlers,
    },
    deps,
  );
  identity.openSockets(app);
  await servePage(app, {
    consoleDir: parts.consoleDir,
    pageConfig: async () => ({
      auth: { ...(await identity.pageAuth()), localAuthEnabled: true, authType: 'local' },
      proxyCluster: config.clusterName,
      recoveryCodesEnabled: true,
      gatehouse: { version: VERSION },
    }),
    pageSignIn: identity.pageSignIn,
  });
  return app;
}

/** On loopback the names are known; a public listener without a configured name answers to any. */
function hostNames({ listen, publicAddr, proxy }: GatewayParts['config']): string[] | undefined {
  if (!isLoopback(listen.host) || proxy.behind) return undefined;
  return ['localhost', '127.0.0.1', '[::1]', '::1', ...(publicAddr ? [publicAddr.host] : [])];
}
