/** The gateway that nodes.bench.ts measures, in a process of its own: 100,000 servers, one user who sees a part of them, and their agents' heartbeats. */
import { readdirSync, readFileSync } from 'node:fs';
import { createAccess } from '@gatehouse/gateway/access/create-access';
import { createAudit, GATEWAY_CHAIN } from '@gatehouse/gateway/audit/emit';
import { openAuditLog } from '@gatehouse/gateway/audit-log/open-audit-log';
import { createIdentity } from '@gatehouse/gateway/auth/create-identity';
import { issueFirst } from '@gatehouse/gateway/auth/sign-in/sign-in-secrets';
import { insertSignIn } from '@gatehouse/gateway/auth/sign-in/sign-in-store';
import { openChangeFeed } from '@gatehouse/gateway/changes/change-feed';
import { composeGateway } from '@gatehouse/gateway/compose';
import { createMetrics } from '@gatehouse/gateway/diagnostics/metrics';
import { createAnnouncer } from '@gatehouse/gateway/inventory/announce';
import { createLog } from '@gatehouse/gateway/log/create-log';
import { openSecretBox } from '@gatehouse/gateway/secrets/open-secret-box';
import { openStorage } from '@gatehouse/gateway/storage/open-storage';
import { insertUser } from '@gatehouse/gateway/users/user-store';
import { agentOf, seededNode } from '@gatehouse/tools/seed';
import { BENCH_CLUSTER, BENCH_NODES, BENCH_ROLES } from './nodes-store.ts';

const HEARTBEATS_EVERY_MS = 60_000;
const TICK_MS = 100;
/** Agents whose labels change, a second: an inventory nobody touches would flatter the lists. */
const CHANGES_PER_SECOND = 10;

const dataDir = process.env.BENCH_DATA ?? '';
const log = createLog({ level: 'warn', format: 'json' });
const now = Date.now;
const url = process.env.BENCH_STORE;
const storage = await openStorage({ dataDir, log, now, ...(url ? { url } : {}) });
const { db } = storage;
const feed = await openChangeFeed({ storage, log, now });
const secrets = await openSecretBox(db, { dataDir, log });
const access = await createAccess({ db, feed, log, now });
const config = {
  listen: { host: '127.0.0.1', port: 0 },
  clusterName: BENCH_CLUSTER,
  proxy: { behind: false, trusted: [] },
  auth: { secondFactor: 'off' as const, inactivityTimeoutMs: 0 },
  drainSeconds: 0,
};
const publicOrigin = () => 'http://localhost';
const identity = await createIdentity({ config, storage, feed, access, secrets, publicOrigin, log, now });
const audit = createAudit({ now, clusterName: BENCH_CLUSTER, chain: GATEWAY_CHAIN });
const auditLog = await openAuditLog({ storage, secrets, access, audit, clusterName: BENCH_CLUSTER, log, now });
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
});
const announcer = createAnnouncer({ db, now, log });

const { cookie, bearer } = await addUser();
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

const beats = { asked: 0, answered: 0, unknown: 0, failed: 0, slowestMs: 0 };
let timer: NodeJS.Timeout | undefined;
process.on('message', (message) => void take(message as string).catch((error: unknown) => finish(error)));
process.send?.({ type: 'ready', port, cookie, bearer });

async function take(message: string): Promise<void> {
  if (message === 'beat') beat();
  if (message === 'figures') {
    const { total } = await db
      .selectFrom('resource')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    process.send?.({ type: 'figures', beats, nodes: Number(total), memoryMb: ownMemoryMb(), ...threadTimes() });
  }
  if (message === 'stop') await finish();
}

/** Without the pages of the database file that are mapped: those are the system's to drop. */
function ownMemoryMb(): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

/** What its threads have used of the processor, and for how long they stood in line for it. */
function threadTimes(): { usedMs: number; waitedMs: number } {
  const times = readdirSync('/proc/self/task').map((thread) =>
    readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ').map(Number),
  );
  const sum = (column: number) => times.reduce((all, columns) => all + (columns[column] ?? 0) / 1e6, 0);
  return { usedMs: sum(0), waitedMs: sum(1) };
}

/** Evenly over the minute, as jitter spreads them. */
function beat(): void {
  const began = performance.now();
  let done = 0;
  let changed = 0;
  timer = setInterval(() => {
    const elapsed = performance.now() - began;
    for (const due = Math.floor((elapsed * BENCH_NODES) / HEARTBEATS_EVERY_MS); done < due; done += 1) {
      void follow(announcer.alive(agentOf(done % BENCH_NODES)));
    }
    for (const due = Math.floor((elapsed * CHANGES_PER_SECOND) / 1000); changed < due; changed += 1) {
      const index = (changed * 7919) % BENCH_NODES;
      const node = seededNode(BENCH_CLUSTER, index);
      void follow(
        announcer.report(agentOf(index), [{ ...node, labels: { ...node.labels, load: String(changed % 10) } }]),
      );
    }
  }, TICK_MS);
}

async function follow(answer: Promise<unknown>): Promise<void> {
  const began = performance.now();
  beats.asked += 1;
  try {
    if ((await answer) === false) beats.unknown += 1;
    beats.answered += 1;
  } catch {
    beats.failed += 1;
  }
  beats.slowestMs = Math.max(beats.slowestMs, performance.now() - began);
}

async function addUser(): Promise<{ cookie: string; bearer: string }> {
  const made = await db.transaction().execute(async (tx) => {
    await insertUser(tx, {
      name: 'ann',
      roles: Object.keys(BENCH_ROLES),
      traits: {},
      created: now(),
      createdBy: 'bench',
    });
    const facts = { user: 'ann', now: now(), expires: now() + 3_600_000, address: '127.0.0.1', userAgent: 'bench' };
    const signIn = await insertSignIn(tx, { ...facts, kind: 'browser' });
    return await issueFirst(tx, signIn, now());
  });
  await feed.settled();
  return { cookie: made.cookie, bearer: made.bearer.token };
}

async function finish(error?: unknown): Promise<void> {
  if (error !== undefined) process.stderr.write(`${String(error)}\n`);
  clearInterval(timer);
  await announcer.close();
  await app.close();
  await auditLog.close();
  await identity.close();
  access.close();
  await feed.close();
  await storage.close();
  process.exit(error === undefined ? 0 : 1);
}
