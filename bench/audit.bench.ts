/**
 * What finding, proving and recording audit events costs, at the API of a real gateway.
 * `node bench/audit.bench.ts [EVENTS] [FOLDER]`: in a folder that is named, the events are made once and kept. With `postgres` first, on that store.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { wireText } from '@gatehouse/gateway/evidence/audit-log/search/wire-text';
import { ExportVerifier } from '@gatehouse/gateway/evidence/audit-log/verify-export';
import { startGateway } from '@gatehouse/gateway/gateway';
import { verifyChain } from '@gatehouse/gateway/platform/audit/chain';
import { openEventStream } from '@gatehouse/gateway/platform/audit/event-stream';
import { loadConfig } from '@gatehouse/gateway/platform/config/load-config';
import { createLog } from '@gatehouse/gateway/platform/log/create-log';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { FIRST_TIME, fillPostgres, fillSqlite, MONTH_MS, madeUpEvents } from './audit-events.ts';

const args = process.argv.slice(2);
const onPostgres = args[0] === 'postgres';
const [given, folderGiven] = onPostgres ? args.slice(1) : args;
const COUNT = Number(given ?? 200_000);
const ROUNDS = 60;
const LIMITS = { page100: 30, page5000: 100, text: 100, millionMs: 10_000, perSecond: 2_000 };

const folder = folderGiven ?? mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
mkdirSync(folder, { recursive: true });
const postgres = onPostgres ? await startPostgres({ durable: true }) : undefined;
const range = { from: iso(FIRST_TIME), to: iso(FIRST_TIME + MONTH_MS) };
const here = { clusterId: '-current-' };
let failed = false;

try {
  await fill();
  const env = { GATEHOUSE_STORAGE_URL: postgres?.url };
  const { config } = loadConfig({ flags: { dataDir: folder, listen: '127.0.0.1:0' }, env, cwd: folder });
  const gateway = await startGateway(config, { log: createLog({ level: 'error', format: 'json' }) });
  try {
    await searches(localSend(folder));
  } finally {
    await gateway.close();
  }
  await offline();
  await recording();
} finally {
  await postgres?.stop();
  if (folderGiven === undefined) rmSync(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

async function fill(): Promise<void> {
  const file = join(folder, 'gatehouse.db');
  if (!onPostgres && existsSync(file)) return;
  const storage = await openStorage({ dataDir: folder, url: postgres?.url, log: silentLog, now: Date.now });
  const started = performance.now();
  const tell = (done: number) => process.stderr.write(`\r${done} of ${COUNT} events made`);
  if (onPostgres) await fillPostgres(storage.db, COUNT, tell);
  await storage.close();
  if (!onPostgres) fillSqlite(file, COUNT, tell);
  process.stderr.write(`\r${COUNT} events made in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}

type Search = Record<string, string>;

async function searches(send: ReturnType<typeof localSend>): Promise<void> {
  const questions: [string, number | undefined, (round: number) => Search][] = [
    ['newest 100', LIMITS.page100, () => ({ limit: '100' })],
    ['100 of a user', LIMITS.page100, (round) => ({ limit: '100', user: `user-${round}` })],
    ['100 of a type', LIMITS.page100, (round) => ({ limit: '100', include: round % 2 ? 'exec' : 'db.session.query' })],
    [
      '100 by user, type, severity',
      LIMITS.page100,
      (round) => ({ limit: '100', user: `user-${round}`, include: 'exec', severity: 'error' }),
    ],
    ['100 of one day, oldest first', LIMITS.page100, (round) => ({ limit: '100', order: 'asc', ...day(round) })],
    ['newest 5000', LIMITS.page5000, () => ({ limit: '5000' })],
    ['5000 of a type', LIMITS.page5000, (round) => ({ limit: '5000', include: round % 2 ? 'kube.request' : 'sftp' })],
    ['common word, 100', LIMITS.text, (round) => ({ limit: '100', search: round % 2 ? 'kubectl' : 'payments' })],
    ['common word, 5000', LIMITS.text, (round) => ({ limit: '5000', search: round % 2 ? 'nginx' : 'reboot' })],
    ['rare word, 100', LIMITS.text, (round) => ({ limit: '100', search: `needle${round % 10}` })],
    ['word and user, 100', LIMITS.text, (round) => ({ limit: '100', search: 'backup', user: `user-${round}` })],
    ['word that is nowhere', LIMITS.text, (round) => ({ limit: '100', search: `nowhere${round}` })],
    ['beginning of a common word, 100', undefined, () => ({ limit: '100', search: 'kube*' })],
    ['counts of everything', undefined, () => ({ buckets: '60' })],
  ];
  console.log(`${COUNT} events, ${onPostgres ? 'PostgreSQL' : 'embedded store'}, load ${loadavg()[0]!.toFixed(1)}`);
  console.log(`${'ms at the API'.padEnd(36)}${'p50'.padStart(9)}${'p95'.padStart(9)}${'events'.padStart(9)}`);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for (const [name, limit, ask] of questions) {
    const route = name.startsWith('counts') ? eventRoutes.counts : eventRoutes.search;
    const times: number[] = [];
    let found = 0;
    for (let round = -3; round < ROUNDS; round++) {
      const url = pathFor(route.path, here) + queryString({ ...range, ...ask(Math.max(round, 0)) });
      delay.enable();
      const started = performance.now();
      const { status, text } = await send({ method: 'GET', url });
      if (round >= 0) times.push(performance.now() - started);
      delay.disable();
      if (status !== 200) throw new Error(text);
      found = Math.max(found, text.split('"ei":0').length - 1);
    }
    const p95 = quantile(times, 0.95);
    if (limit !== undefined && p95 > limit) failed = true;
    const mark = limit !== undefined && p95 > limit ? `  over ${limit}` : '';
    console.log(`${name.padEnd(36)}${shown(quantile(times, 0.5))}${shown(p95)}${String(found).padStart(9)}${mark}`);
  }
  console.log(`event loop held up while searching, p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`);

  const most = Math.min(COUNT, 1_000_000);
  let checked = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let startKey = ''; checked < most; ) {
    const verdict = await call(send, eventRoutes.verify, { params: here, query: { startKey } });
    if (!verdict.ok) throw new Error(verdict.problem?.reason);
    checked += verdict.checked;
    startKey = verdict.startKey;
    if (startKey === '') break;
  }
  tellMillion('verified by the gateway', {
    ms: performance.now() - started,
    events: checked,
    cpu: process.cpuUsage(cpu),
  });
}

/** A million lines would take longer to make than to check; some are checked several times over. */
async function offline(): Promise<void> {
  const lines = 50_000;
  const make = madeUpEvents(lines);
  const texts = Array.from({ length: lines }, (_, index) => wireText({ id: 0, ...make(index) }, { proof: true }));
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let round = 0; round < 4; round++) {
    const verifier = new ExportVerifier({ publicKey: undefined, checkpoint: undefined, isPart: false });
    for (const text of texts) if (verifier.add(text)) throw new Error('an event does not fit');
    if (!verifier.end().ok) throw new Error('the export does not fit');
  }
  tellMillion('verified from an export', {
    ms: performance.now() - started,
    events: lines * 4,
    cpu: process.cpuUsage(cpu),
  });
}

async function recording(): Promise<void> {
  const own = join(folder, 'recording');
  const url = postgres && (await postgres.createDatabase());
  const storage = await openStorage({ dataDir: own, url, log: silentLog, now: Date.now });
  const facts = { chain: 'g1', clusterName: 'c1', now: Date.now, log: silentLog };
  const stream = openEventStream({ ...facts, db: storage.db, queue: undefined, strict: false });
  const write = (index: number) =>
    stream.write(userLogin, {
      user: `user-${index % 100}`,
      success: true,
      method: 'local',
      'addr.remote': '192.0.2.1',
    });
  for (let index = 0; index < 200; index++) await write(index);
  const events = 10_000;
  const cpu = process.cpuUsage();
  const started = performance.now();
  // A hundred sessions, each waiting for its event before it goes on.
  await Promise.all(
    Array.from({ length: 100 }, async (_, session) => {
      for (let index = 0; index < events / 100; index++) await write(session);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = events / seconds;
  if (perSecond < LIMITS.perSecond) failed = true;
  const used = ((user + system) / events).toFixed(0);
  console.log(`recorded by 100 sessions, durable: ${perSecond.toFixed(0)} events/s, ${used} µs of processor each`);
  await stream.close();
  const verdict = await verifyChain(storage.db, 'g1');
  if (!verdict.ok) throw new Error('what was recorded does not verify');
  await storage.close();
  rmSync(own, { recursive: true, force: true });
}

function tellMillion(name: string, { ms, events, cpu }: { ms: number; events: number; cpu: NodeJS.CpuUsage }): void {
  const seconds = (ms * 1_000) / events;
  if (seconds * 1_000 > LIMITS.millionMs) failed = true;
  const used = (cpu.user + cpu.system) / events;
  console.log(`${name}: a million events in ${seconds.toFixed(1)} s, ${used.toFixed(1)} s of processor`);
}

function day(round: number): Search {
  const from = FIRST_TIME + (round % 28) * 86_400_000;
  return { from: iso(from), to: iso(from + 86_400_000) };
}

function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}

function shown(value: number): string {
  return value.toFixed(1).padStart(9);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
