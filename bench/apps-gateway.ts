/** The gateway that apps.bench.ts measures, in a process of its own: TLS, one application, one person in it. Tells its port, certificate and cookies. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { appRoutes } from '@gatehouse/contract/apps/apps';
import { createAccess } from '@gatehouse/gateway/access/create-access';
import { createAudit, GATEWAY_CHAIN } from '@gatehouse/gateway/audit/emit';
import { openAuditLog } from '@gatehouse/gateway/audit-log/open-audit-log';
import { createIdentity } from '@gatehouse/gateway/auth/create-identity';
import { issueFirst } from '@gatehouse/gateway/auth/sign-in/sign-in-secrets';
import { insertSignIn } from '@gatehouse/gateway/auth/sign-in/sign-in-store';
import { openChangeFeed } from '@gatehouse/gateway/changes/change-feed';
import { composeGateway } from '@gatehouse/gateway/compose';
import { createMetrics } from '@gatehouse/gateway/diagnostics/metrics';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { createLog } from '@gatehouse/gateway/log/create-log';
import { openSecretBox } from '@gatehouse/gateway/secrets/open-secret-box';
import { openStorage } from '@gatehouse/gateway/storage/open-storage';
import { insertUser } from '@gatehouse/gateway/users/user-store';

const APPS = { web: process.env.BENCH_WEB ?? '', sockets: process.env.BENCH_SOCKETS ?? '' };
const CLUSTER = 'bench';
export const USER_AGENT = 'gatehouse-bench';

const dataDir = process.env.BENCH_DATA ?? '';
const tls = { cert: readFileSync(process.env.BENCH_CERT ?? ''), key: readFileSync(process.env.BENCH_KEY ?? '') };
const log = createLog({ level: 'warn', format: 'json' });
const now = Date.now;
const storage = await openStorage({ dataDir, log, now });
const { db } = storage;
const feed = await openChangeFeed({ storage, log, now });
const secrets = await openSecretBox(db, { dataDir, log });
const access = await createAccess({ db, feed, log, now });
const config = {
  listen: { host: '127.0.0.1', port: 0 },
  clusterName: CLUSTER,
  proxy: { behind: false, trusted: [] },
  auth: { secondFactor: 'off' as const, inactivityTimeoutMs: 0 },
  drainSeconds: 0,
};
let port = 0;
const publicOrigin = () => `https://localhost:${port}`;
const identity = await createIdentity({ config, storage, feed, access, secrets, publicOrigin, log, now });
const audit = createAudit({ now, clusterName: CLUSTER, chain: GATEWAY_CHAIN });
const auditLog = await openAuditLog({ storage, secrets, access, audit, clusterName: CLUSTER, log, now });
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
  tls,
});

const { cookie, bearer } = await fill();
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
port = typeof address === 'object' && address !== null ? address.port : 0;

const cookies: Record<string, string> = {};
for (const name of Object.keys(APPS)) cookies[name] = await open(`${name}.localhost`);
process.on('message', (message) => void take(message as string));
process.send?.({ type: 'ready', port, cookies });

async function take(message: string): Promise<void> {
  if (message === 'memory') {
    globalThis.gc?.();
    const used = Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
    process.send?.({ type: 'memory', megabytes: used, heap: process.memoryUsage().heapUsed / 1024 / 1024 });
  }
  if (message === 'processor') process.send?.({ type: 'processor', microseconds: processorTime() });
  if (message === 'stop') process.exit(0);
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function fill(): Promise<{ cookie: string; bearer: string }> {
  return await db.transaction().execute(async (tx) => {
    await insertUser(tx, { name: 'ann', roles: ['access'], traits: {}, created: now(), createdBy: 'bench' });
    const apps = Object.entries(APPS).map(([name, uri]) => ({
      cluster: CLUSTER,
      kind: 'app' as const,
      id: name,
      name,
      labels: {},
      spec: { uri },
      owner: '',
      expires: undefined,
    }));
    await putResources(tx, apps, now());
    const facts = { user: 'ann', now: now(), expires: now() + 3_600_000, address: '127.0.0.1', userAgent: USER_AGENT };
    const made = await insertSignIn(tx, { ...facts, kind: 'browser' });
    const issued = await issueFirst(tx, made, now());
    return { cookie: issued.cookie, bearer: issued.bearer.token };
  });
}

/** The handshake of the reference: two calls, and both cookies are there. */
async function open(host: string): Promise<string> {
  const csrf = 'c'.repeat(64);
  const session = await app.inject({
    method: 'POST',
    url: appRoutes.session.path,
    headers: {
      host: `localhost:${port}`,
      origin: `http://localhost:${port}`,
      'x-csrf-token': csrf,
      cookie: `session=${cookie}; grv_csrf=${csrf}`,
      authorization: `Bearer ${bearer}`,
    },
    payload: { fqdn: host, cluster_name: '', public_addr: '', arn: '' },
  });
  if (session.statusCode !== 200) throw new Error(session.body);
  const { cookie_value: first, subject_cookie_value: second } = session.json();
  await new Promise<void>((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path: '/x-teleport-auth',
      method: 'POST',
      rejectUnauthorized: false,
      headers: {
        host: `${host}:${port}`,
        origin: publicOrigin(),
        'user-agent': USER_AGENT,
        'x-cookie-value': first,
        'x-subject-cookie-value': second,
      },
    });
    sent.on('error', reject);
    sent.on('response', ({ statusCode }) => {
      if (statusCode === 200) resolve();
      else reject(new Error(`the handshake answered ${statusCode}`));
    });
    sent.end();
  });
  return `__Host-grv_app_session=${first}; __Host-grv_app_session_subject=${second}`;
}
