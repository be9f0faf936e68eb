/** What signing in costs beside the bare argon2 it contains, and what an authenticated call costs with 10,000 people signed in. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { createAccess } from '@gatehouse/gateway/access/create-access';
import { composeGateway } from '@gatehouse/gateway/compose/compose';
import { openAuditLog } from '@gatehouse/gateway/evidence/audit-log/open-audit-log';
import { createIdentity } from '@gatehouse/gateway/identity/create-identity';
import { hashPassword, verifyPassword } from '@gatehouse/gateway/identity/credentials/password-hash';
import { issueFirst } from '@gatehouse/gateway/identity/stores/sign-in-secrets';
import { insertSignIn } from '@gatehouse/gateway/identity/stores/sign-in-store';
import { insertUser, setPasswordHash } from '@gatehouse/gateway/identity/stores/user-store';
import { createAudit, GATEWAY_CHAIN } from '@gatehouse/gateway/platform/audit/emit';
import { openChangeFeed } from '@gatehouse/gateway/platform/change-feed/change-feed';
import { createMetrics } from '@gatehouse/gateway/platform/health/metrics';
import { createLog } from '@gatehouse/gateway/platform/log/create-log';
import { openSecretBox } from '@gatehouse/gateway/platform/secrets/open-secret-box';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';

const ROUNDS = 4;
const SIGN_INS_PER_ROUND = 48;
/** Enough that somebody is always waiting for argon2, as in a morning rush. */
const AT_ONCE = 16;
const LIVE = 10_000;
const CALLS = 20_000;
const USERS = 50;
const PASSWORD = 'correct horse';
const LIMITS = { ratio: 0.8, p99Ms: 1 };

const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const log = createLog({ level: 'silent', format: 'json' });
const now = Date.now;
const storage = await openStorage({ dataDir, log, now });
const feed = await openChangeFeed({ storage, log, now });
const secrets = await openSecretBox(storage.db, { dataDir, log });
const config = {
  listen: { host: '127.0.0.1', port: 3080 },
  clusterName: 'localhost',
  proxy: { behind: false, trusted: [] },
  auth: { secondFactor: 'off' as const, inactivityTimeoutMs: 0 },
  drainSeconds: 0,
};
const publicOrigin = () => 'http://localhost:3080';
const clusterName = config.clusterName;
const audit = createAudit({ now, clusterName, chain: GATEWAY_CHAIN });
const access = await createAccess({ db: storage.db, feed, audit, log, now });
const identity = await createIdentity({ config, storage, feed, access, secrets, publicOrigin, log, now });
const auditLog = await openAuditLog({ storage, secrets, access, audit, clusterName, log, now });
const tookMs: number[] = [];
const authenticate: typeof identity.authenticate = async (request, route) => {
  const started = performance.now();
  const actor = await identity.authenticate(request, route);
  tookMs.push(performance.now() - started);
  return actor;
};
const { registry, metrics } = createMetrics({ version: 'bench', processMetrics: 'none' });
const parts = { config, storage, feed, secrets, publicOrigin, log, now, registry, metrics, consoleDir: '/nonexistent' };
const { app } = await composeGateway({
  ...parts,
  identity: { ...identity, authenticate },
  access,
  auditLog,
  checkReplies: false,
  certificate: () => undefined,
  strictTransport: false,
});
await app.ready();

try {
  const hash = await hashPassword(PASSWORD);
  await addUsers(hash);
  const ratio = await measureSignIns(hash);
  const p99 = await measureCalls(await addSignIns());
  if (ratio < LIMITS.ratio || p99 > LIMITS.p99Ms) process.exitCode = 1;
} finally {
  await app.close();
  await auditLog.close();
  await identity.close();
  access.close();
  await feed.close();
  await storage.close();
  rmSync(dataDir, { recursive: true });
}

async function addUsers(hash: string): Promise<void> {
  await storage.db.transaction().execute(async (tx) => {
    for (let index = 0; index < USERS; index++) {
      const user = { name: `user-${index}`, roles: ['access'], traits: {}, created: now(), createdBy: 'bench' };
      await insertUser(tx, user);
      await setPasswordHash(tx, user.name, hash);
    }
  });
}

/** Both take turns, so that a busy machine slows both alike. */
async function measureSignIns(hash: string): Promise<number> {
  let bareMs = 0;
  let oursMs = 0;
  let counter = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const bare = async () => {
      bareMs += await timed(() => verifyPassword(PASSWORD, hash));
    };
    const ours = async () => {
      oursMs += await timed(() => signIn(counter++));
    };
    for (const turn of round % 2 === 0 ? [bare, ours] : [ours, bare]) await turn();
  }
  const perSecond = (ms: number) => (1000 * ROUNDS * SIGN_INS_PER_ROUND) / ms;
  const ratio = bareMs / oursMs;
  console.log(`bare argon2   ${perSecond(bareMs).toFixed(1)} per second`);
  console.log(
    `sign-ins      ${perSecond(oursMs).toFixed(1)} per second, ${ratio.toFixed(2)} of it (limit ${LIMITS.ratio})`,
  );
  return ratio;
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let left = SIGN_INS_PER_ROUND;
  const worker = async () => {
    while (left-- > 0) await job();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return performance.now() - started;
}

async function signIn(index: number): Promise<void> {
  const csrf = '0'.repeat(64);
  const response = await app.inject({
    method: 'POST',
    url: signInRoutes.signIn.path,
    // One address may not sign in this often.
    remoteAddress: `10.0.${index >> 8}.${index & 255}`,
    headers: {
      host: 'localhost:3080',
      'content-type': 'application/json',
      'x-csrf-token': csrf,
      cookie: `grv_csrf=${csrf}`,
    },
    payload: JSON.stringify({ user: `user-${index % USERS}`, pass: PASSWORD }),
  });
  if (response.statusCode !== 200) throw new Error(response.body);
}

interface TestSignIn {
  cookie: string;
  bearer: string;
}

async function addSignIns(): Promise<TestSignIn[]> {
  const held: TestSignIn[] = [];
  for (let batch = 0; batch < LIVE / 1000; batch++) {
    await storage.db.transaction().execute(async (tx) => {
      for (let index = 0; index < 1000; index++) {
        const user = `user-${index % USERS}`;
        const expires = now() + 3_600_000;
        const facts = { user, now: now(), expires, address: '127.0.0.1', userAgent: randomUUID() };
        const made = await insertSignIn(tx, { ...facts, kind: 'browser' });
        const { cookie, bearer } = await issueFirst(tx, made, now());
        held.push({ cookie, bearer: bearer.token });
      }
    });
  }
  await feed.settled();
  return held;
}

async function measureCalls(held: readonly TestSignIn[]): Promise<number> {
  const call = async ({ cookie, bearer }: TestSignIn) => {
    const headers = { host: 'localhost:3080', cookie: `session=${cookie}`, authorization: `Bearer ${bearer}` };
    const response = await app.inject({ method: 'GET', url: signInRoutes.status.path, headers });
    if (response.statusCode !== 200) throw new Error(response.body);
  };
  tookMs.length = 0;
  for (const one of held) await call(one);
  report(`first call of each of ${LIVE}`);
  for (let index = 0; index < CALLS; index++) await call(held[(index * 7919) % held.length] as TestSignIn);
  return report(`${CALLS} calls of ${LIVE} at random`);
}

function report(what: string): number {
  const sorted = tookMs.toSorted((a, b) => a - b);
  tookMs.length = 0;
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  console.log(
    `authenticate  ${what}: median ${at(0.5).toFixed(3)} ms, p99 ${at(0.99).toFixed(3)} ms (limit ${LIMITS.p99Ms})`,
  );
  return at(0.99);
}
