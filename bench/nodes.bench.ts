/** How long a page of the list of servers takes at the API: 100,000 of them, a restricted user, mixed searches, while 100,000 heartbeats a minute come in. With `postgres`, on that store. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { BENCH_NODES, fillStore } from './nodes-store.ts';

/** Until the gateway has the servers in memory; on a busy machine that takes longer. */
const WARM_MS = 15_000;
const WARM_ROUNDS = 4;
const WARM_P50_MS = 40;
const MEASURED_MS = Number(process.env.BENCH_MS ?? 60_000);
/** People at once, each reading for a moment before asking again. */
const PEOPLE = 4;
const READS_MS = 30;
/** Memory is a saw: it grows until the collector comes, and must not grow beyond that. */
const LIMITS = { p95Ms: 25, heartbeatShare: 0.99, memoryGrowth: 1.5 };

interface Ready {
  port: number;
  cookie: string;
  bearer: string;
}

interface Figures {
  beats: { asked: number; answered: number; unknown: number; failed: number; slowestMs: number };
  nodes: number;
  memoryMb: number;
  usedMs: number;
  waitedMs: number;
}

type Query = Record<string, string>;

/** What people ask; each round is different, so that no answer can be kept from the last. */
const QUESTIONS: Record<string, (round: number) => Query> = {
  'first page': (round) => ({ sort: round % 2 ? 'hostname:asc' : 'hostname:desc' }),
  'sorted by address': (round) => ({ sort: round % 2 ? 'address:asc' : 'name:desc' }),
  'common word': (round) => ({ search: ['prod', 'team-1', 'eu-', 'host', 'debian'][round % 5] as string }),
  'rare word': (round) => ({ search: `rack-${String(round % 1000).padStart(4, '0')}` }),
  'part of an address': (round) => ({ search: `.${round % 256}.1` }),
  'short word': (round) => ({ search: String(round % 100) }),
  'two words': (round) => ({ search: `team-${round % 20} us-west` }),
  'nothing found': (round) => ({ search: `no-such-${round}` }),
  label: (round) => ({ query: `labels["team"] == "team-${round % 20}"` }),
  'rare label': (round) => ({ query: `labels["rack"] == "rack-${String(round % 1000).padStart(4, '0')}"` }),
  predicate: (round) => ({
    query: `(labels.env == "prod" || labels.env == "dev") && labels.os != "rocky" && search("${round % 10}")`,
  }),
  'scrolled far': (round) => ({ skip: String((round * 977) % 25_000) }),
};

const postgres = process.argv.includes('postgres') ? await startPostgres({ durable: true }) : undefined;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
const seeding = performance.now();
await fillStore({ dataDir, url: postgres?.url });
say(`seeding ${BENCH_NODES} servers × 5 labels: ${((performance.now() - seeding) / 1000).toFixed(1)} s`);
const child = fork(join(import.meta.dirname, 'nodes-gateway.ts'), {
  env: { ...process.env, BENCH_DATA: dataDir, ...(postgres ? { BENCH_STORE: postgres.url } : {}) },
});
child.once('exit', (code) => {
  if (code) process.exit(code);
});
const { port, cookie, bearer } = (await next(child, 'ready')) as Ready;
const agent = new Agent({ keepAlive: true, maxSockets: PEOPLE });

child.send('beat');
for (let round = 0; round < WARM_ROUNDS; round += 1) {
  const { tookMs: warming } = await askFor(WARM_MS);
  if (at([...warming.values()].flat(), 0.5) < WARM_P50_MS) break;
}
const before = await figures();
const { tookMs, pages, kilobytes } = await askFor(MEASURED_MS);
const after = await figures();

const kept = report();
child.send('stop');
await once(child, 'exit');
agent.destroy();
await postgres?.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = kept ? 0 : 1;

function report(): boolean {
  const all = [...tookMs.values()].flat();
  say(`pages of 50, one user with four roles, ${PEOPLE} askers:`);
  for (const [name, times] of tookMs) say(`  ${name.padEnd(20)} ${spread(times)}`);
  say(`  ${'all'.padEnd(20)} ${spread(all)} of ${pages} pages, ${(kilobytes / pages).toFixed(1)} KB each`);
  const seconds = MEASURED_MS / 1000;
  const perMinute = ((after.beats.answered - before.beats.answered) / seconds) * 60;
  const wanted = ((after.beats.asked - before.beats.asked) / seconds) * 60;
  const lost = after.beats.unknown + after.beats.failed;
  say(
    `heartbeats: ${Math.round(perMinute)} a minute taken of ${Math.round(wanted)}, slowest after ${after.beats.slowestMs.toFixed(0)} ms, ${lost} lost`,
  );
  const growth = after.memoryMb / before.memoryMb;
  say(
    `memory: ${before.memoryMb.toFixed(0)} MB, after ${seconds} s ${after.memoryMb.toFixed(0)} MB = ${growth.toFixed(2)}×`,
  );
  const used = after.usedMs - before.usedMs;
  const waited = after.waitedMs - before.waitedMs;
  say(
    `gateway: ${(used / seconds / 10).toFixed(0)} % of a core; for each 100 ms of it, its threads stood ${((waited / used) * 100).toFixed(0)} ms in line for one`,
  );
  const p95 = at(all, 0.95);
  const isKept =
    p95 < LIMITS.p95Ms && lost === 0 && perMinute >= wanted * LIMITS.heartbeatShare && growth <= LIMITS.memoryGrowth;
  say(
    isKept
      ? `kept: p95 ${p95.toFixed(1)} ms`
      : `missed: p95 below ${LIMITS.p95Ms} ms, no heartbeat lost and flat memory are asked`,
  );
  return isKept;
}

async function askFor(durationMs: number) {
  const took = new Map<string, number[]>(Object.keys(QUESTIONS).map((name) => [name, []]));
  const ends = performance.now() + durationMs;
  let round = 0;
  let size = 0;
  const person = async () => {
    const names = Object.keys(QUESTIONS);
    while (performance.now() < ends) {
      const name = names[round % names.length] as string;
      const asked = (QUESTIONS[name] as (round: number) => Query)(round);
      round += 1;
      let startKey = '';
      // Every now and then the next pages too.
      for (let page = 0; page < (round % 3 === 0 ? 3 : 1); page += 1) {
        const began = performance.now();
        const text = await fetchPage({ sort: 'hostname:asc', ...asked, startKey });
        took.get(name)?.push(performance.now() - began);
        size += text.length;
        startKey = (JSON.parse(text) as { startKey: string }).startKey;
        if (startKey === '') break;
      }
      await sleep(READS_MS * (0.5 + Math.random()));
    }
  };
  await Promise.all(Array.from({ length: PEOPLE }, person));
  return { tookMs: took, pages: [...took.values()].flat().length, kilobytes: size / 1024 };
}

async function fetchPage(query: Query): Promise<string> {
  const path = `/v1/webapi/sites/-current-/nodes?${new URLSearchParams({ limit: '50', ...query })}`;
  const headers = { host: `localhost:${port}`, cookie: `session=${cookie}`, authorization: `Bearer ${bearer}` };
  return await new Promise((resolve, reject) => {
    get({ port, path, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${text}`))));
    }).on('error', reject);
  });
}

async function figures(): Promise<Figures> {
  const answer = next(child, 'figures');
  child.send('figures');
  return (await answer) as Figures;
}

async function next(from: ChildProcess, type: string): Promise<unknown> {
  for (;;) {
    const [message] = (await once(from, 'message')) as [{ type: string }];
    if (message.type === type) return message;
  }
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}

function spread(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(1).padStart(5)} ms   p95 ${at(times, 0.95).toFixed(1).padStart(5)} ms   worst ${at(times, 1 - 1e-9).toFixed(1)} ms`;
}
