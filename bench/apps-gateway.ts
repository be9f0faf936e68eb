/** The gateway that apps.bench.ts measures, in a process of its own: TLS, one application, one person in it. Tells its port, certificate and cookies. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { composedGateway } from './composed-gateway.ts';
import { ownKilobytes } from './own-memory.ts';

const APPS = { web: process.env.BENCH_WEB ?? '', sockets: process.env.BENCH_SOCKETS ?? '' };
const CLUSTER = 'bench';
const USER_AGENT = 'gatehouse-bench';

const tls = { cert: readFileSync(process.env.BENCH_CERT ?? ''), key: readFileSync(process.env.BENCH_KEY ?? '') };
const gateway = await composedGateway({ clusterName: CLUSTER, tls });
const { app } = gateway;
await addApps();
const { cookie, bearer } = await gateway.addUser(['access'], USER_AGENT);
const port = await gateway.listen();

const cookies: Record<string, string> = {};
for (const name of Object.keys(APPS)) cookies[name] = await open(`${name}.localhost`);
process.on('message', (message) => void take(message as string));
process.send?.({ type: 'ready', port, cookies });

async function take(message: string): Promise<void> {
  if (message === 'memory') {
    const used = ownKilobytes() / 1024;
    process.send?.({ type: 'memory', megabytes: used, heap: process.memoryUsage().heapUsed / 1024 / 1024 });
  }
  if (message === 'processor') process.send?.({ type: 'processor', microseconds: processorTime() });
  if (message === 'stop') process.exit(0);
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function addApps(): Promise<void> {
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
  await gateway.db.transaction().execute((tx) => putResources(tx, apps, gateway.now()));
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
        origin: gateway.publicOrigin(),
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
