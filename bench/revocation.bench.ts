/** How soon rights that are taken away end what is open where 5,000 people have sessions, what their list costs, and how long it takes to find them again. With `postgres`, on that store; `BENCH_PHASES` names the parts of it that are wanted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteLock, insertLock } from '@gatehouse/gateway/access/lock-store';
import { insertRole } from '@gatehouse/gateway/access/role-store';
import { publish } from '@gatehouse/gateway/platform/change-feed/publish';
import type { Actor } from '@gatehouse/gateway/platform/http/actor';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { claimSessions, listOpenOf, SESSION_TOPIC, type Session } from '@gatehouse/gateway/sessions/host/session-store';
import { listActive } from '@gatehouse/gateway/sessions/live/active-sessions';
import { createOpenSessions } from '@gatehouse/gateway/sessions/live/open-sessions';
import { rowsText } from '@gatehouse/gateway/sessions/live/session-row';
import { CLUSTER, startManySessions, userName } from '@gatehouse/gateway/testing/sessions/many-sessions';
import { startPostgres } from '@gatehouse/testkit/postgres';

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 5_000);
const AGENTS = Math.ceil(PEOPLE / 5);
const ROUNDS = 100;
const LISTS = 40;
/** Of ending, listing and finding: all of them, unless some are named. */
const PHASES = new Set((process.env.BENCH_PHASES ?? 'end,list,find').split(','));
const LIMITS = { revocationMs: 2_000, listMs: 150 };

const postgres = process.argv.includes('postgres') ? await startPostgres({ durable: true }) : undefined;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
const storage = await openStorage({ url: postgres?.url, dataDir, log: silentLog, now: Date.now });
const many = await startManySessions({ storage, people: PEOPLE, sessionsOfAgent: 5 });
say(`${PEOPLE} people, each with a session, ${AGENTS} agents, ${storage.engine}`);

let next = 0;
/** From before the commit until the session is over. */
async function until(act: (number: number) => Promise<unknown>): Promise<number> {
  const number = next++;
  const began = performance.now();
  await act(number);
  return (await many.ended(number)).at - began;
}
const over: number[] = [];
const told = (what: string, times: number[]) => {
  over.push(...times);
  say(`  ${what.padEnd(46)} ${spread(times)}`);
};
const lists: number[] = [];
if (PHASES.has('end')) await endAll();
if (PHASES.has('list')) await listAll();
if (PHASES.has('find')) await findAll();

await many.close();
await postgres?.stop();
rmSync(dataDir, { recursive: true, force: true });
const isMissed = at(over, 0.99) >= LIMITS.revocationMs || at(lists, 0.95) >= LIMITS.listMs;
say(
  `${isMissed ? 'missed' : 'kept'}: over within ${at(over, 0.99).toFixed(0)} ms (p99, ${LIMITS.revocationMs} asked), listed within ${at(lists, 0.95).toFixed(0)} ms (p95, ${LIMITS.listMs} asked)`,
);
process.exitCode = isMissed ? 1 : 0;

async function endAll(): Promise<void> {
  say(`until it is over, ${ROUNDS} times each:`);
  told('a role taken from one user', await repeat(ROUNDS, () => until((number) => many.setRoles(number, []))));
  told(
    'a lock on one user, everybody decided again',
    await repeat(ROUNDS, () =>
      until(async (number) => {
        const lock = await storage.db.transaction().execute((tx) =>
          insertLock(tx, {
            target: { kind: 'user', name: userName(number) },
            ...{ message: '', created: Date.now(), createdBy: 'bench', expires: undefined },
          }),
        );
        void many.ended(number).then(() => storage.db.transaction().execute((tx) => deleteLock(tx, lock.id)));
      }),
    ),
  );
  const news = [...many.live.keys()];
  told(
    `a sign-out behind ${news.length} changes of sessions`,
    await repeat(10, () =>
      until(async (number) => {
        const ids = [...news];
        while (ids.length > 0)
          await storage.db
            .transaction()
            .execute((tx) => publish(tx, ...ids.splice(0, 500).map((id) => ({ topic: SESSION_TOPIC, id }))));
        await storage.db
          .transaction()
          .execute((tx) => publish(tx, { topic: 'sign-in', id: `sign-in-${number}`, data: { ended: 'signed_out' } }));
      }),
    ),
  );
}

async function listAll(): Promise<void> {
  const news = [...many.live.keys()];
  const host = { get: () => undefined, all: () => [] } as never;
  const open = createOpenSessions({ ...many, host, clusterName: CLUSTER });
  const content =
    'kind: role\nversion: v6\nmetadata: {name: restricted}\nspec: {allow: {join_sessions: [{name: w, kinds: [ssh], roles: [dev], modes: [observer]}], rules: [{resources: [ssh_session], verbs: [list], where: \'contains(session.participants, user.metadata.name) || session.login == "root"\'}]}}\n';
  await storage.db.transaction().execute((tx) => insertRole(tx, { name: 'restricted', content, by: 'bench', now: 0 }));
  await many.feed.settled();
  for (const roles of [['auditor', 'editor'], ['restricted']]) {
    const subject = { username: 'viewer', roles, traits: {} };
    const acl = many.access.aclOf(subject);
    const actor: Actor = { ...subject, signInId: 's', signInKind: 'browser', authType: 'local', acl };
    let found = 0;
    let used = 0;
    const list = async () => {
      const id = news[Math.floor(Math.random() * news.length)] as string;
      await storage.db.transaction().execute((tx) => publish(tx, { topic: SESSION_TOPIC, id }));
      await many.feed.settled();
      const [began, before] = [performance.now(), process.threadCpuUsage()];
      found = Buffer.from(rowsText(await listActive({ ...many, host, open }, actor))).length;
      const { user, system } = process.threadCpuUsage(before);
      used += (user + system) / 1000;
      return performance.now() - began;
    };
    const first = await list();
    used = 0;
    const times = await repeat(LISTS, list);
    lists.push(...times);
    say(
      `list of open sessions for ${roles.join(' and ').padEnd(19)} ${spread(times)}, ${Math.round(found / 1024)} KB, ${(used / LISTS).toFixed(0)} ms of the thread, the first ${first.toFixed(0)} ms`,
    );
  }
  open.close();
}

async function findAll(): Promise<void> {
  const began = performance.now();
  const adopted: Session[] = [];
  for (let from = 0; from < AGENTS; from += 50) {
    const agents = Array.from({ length: 50 }, (_, at) => `agent-${from + at}`);
    const sessions = await listOpenOf(storage.db, CLUSTER, agents);
    await storage.db.transaction().execute((tx) => claimSessions(tx, sessions, 'here'));
    adopted.push(...sessions);
  }
  say(
    `${AGENTS} agents that come back, 50 at a time: ${adopted.length} sessions found and claimed in ${(performance.now() - began).toFixed(0)} ms`,
  );
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < times; round += 1) took.push(await work());
  return took;
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
}

function spread(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(0).padStart(4)} ms   p95 ${at(times, 0.95).toFixed(0).padStart(4)} ms   p99 ${at(times, 0.99).toFixed(0).padStart(4)} ms`;
}
