/** A gateway put together in this process as `start` does it, over a store that a bench has filled, and one person signed in to it. */
import type { Send } from '@gatehouse/contract/wire/client';
import { createAccess } from '@gatehouse/gateway/access/create-access';
import { composeGateway } from '@gatehouse/gateway/compose/compose';
import { openAuditLog } from '@gatehouse/gateway/evidence/audit-log/open-audit-log';
import { createIdentity } from '@gatehouse/gateway/identity/create-identity';
import { issueFirst } from '@gatehouse/gateway/identity/stores/sign-in-secrets';
import { insertSignIn } from '@gatehouse/gateway/identity/stores/sign-in-store';
import { insertUser } from '@gatehouse/gateway/identity/stores/user-store';
import { createAudit, GATEWAY_CHAIN } from '@gatehouse/gateway/platform/audit/emit';
import { openChangeFeed } from '@gatehouse/gateway/platform/change-feed/change-feed';
import { createMetrics } from '@gatehouse/gateway/platform/health/metrics';
import { createLog } from '@gatehouse/gateway/platform/log/create-log';
import { openSecretBox } from '@gatehouse/gateway/platform/secrets/open-secret-box';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';

interface Wanted {
  clusterName: string;
  /** Of PostgreSQL; a file in the data folder without it. */
  storeUrl?: string | undefined;
  tls?: { cert: Buffer; key: Buffer };
  /** Sessions are recorded, in the data folder. */
  isRecording?: boolean;
}

/** Its data lie where the bench said. */
export async function composedGateway({ clusterName, storeUrl, tls, isRecording = false }: Wanted) {
  const dataDir = process.env.BENCH_DATA ?? '';
  const log = createLog({ level: 'warn', format: 'json' });
  const now = Date.now;
  const storage = await openStorage({ dataDir, log, now, ...(storeUrl ? { url: storeUrl } : {}) });
  const { db } = storage;
  const feed = await openChangeFeed({ storage, log, now });
  const secrets = await openSecretBox(db, { dataDir, log });
  const audit = createAudit({ now, clusterName, chain: GATEWAY_CHAIN });
  const access = await createAccess({ db, feed, audit, log, now });
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    clusterName,
    proxy: { behind: false, trusted: [] },
    auth: { secondFactor: 'off' as const, inactivityTimeoutMs: 0 },
    drainSeconds: 0,
    ...(isRecording ? { dataDir } : {}),
  };
  let port = 0;
  const publicOrigin = () => (tls ? `https://localhost:${port}` : 'http://localhost');
  const identity = await createIdentity({ config, storage, feed, access, secrets, publicOrigin, log, now });
  const auditLog = await openAuditLog({ storage, secrets, access, audit, clusterName, log, now });
  const { registry, metrics } = createMetrics({ version: 'bench', processMetrics: 'none' });
  const { app } = await composeGateway({
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
    consoleDir: '/nonexistent',
    checkReplies: false,
    certificate: () => undefined,
    publicOrigin,
    strictTransport: false,
    ...(tls ? { tls } : {}),
  });

  return {
    app,
    db,
    log,
    now,
    publicOrigin,

    /** A person who uses a browser. */
    async addUser(roles: readonly string[], userAgent: string): Promise<{ cookie: string; bearer: string }> {
      const issued = await db.transaction().execute(async (tx) => {
        await insertUser(tx, { name: 'ann', roles: [...roles], traits: {}, created: now(), createdBy: 'bench' });
        const facts = { user: 'ann', now: now(), expires: now() + 3_600_000, address: '127.0.0.1', userAgent };
        return await issueFirst(tx, await insertSignIn(tx, { ...facts, kind: 'browser', provenAt: now() }), now());
      });
      await feed.settled();
      return { cookie: issued.cookie, bearer: issued.bearer.token };
    },

    /** Asked in this process, where no TLS is; `listen` comes first. */
    sendAs({ cookie, bearer }: { cookie: string; bearer: string }, userAgent: string): Send {
      const csrf = 'c'.repeat(64);
      const headers = {
        host: `localhost:${port}`,
        origin: `http://localhost:${port}`,
        'user-agent': userAgent,
        'x-csrf-token': csrf,
        cookie: `session=${cookie}; grv_csrf=${csrf}`,
        authorization: `Bearer ${bearer}`,
      };
      return async ({ method, url, body }) => {
        const told =
          body === undefined
            ? { headers }
            : { headers: { ...headers, 'content-type': 'application/json' }, payload: body };
        const reply = await app.inject({ method: method as 'GET', url, ...told });
        return { status: reply.statusCode, text: reply.body };
      };
    },

    async listen(): Promise<number> {
      await app.listen({ host: '127.0.0.1', port: 0 });
      const address = app.server.address();
      port = typeof address === 'object' && address !== null ? address.port : 0;
      return port;
    },

    async close(): Promise<void> {
      await app.close();
      await auditLog.close();
      await identity.close();
      access.close();
      await feed.close();
      await storage.close();
    },
  };
}
