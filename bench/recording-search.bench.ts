/**
 * What finding words in 2,000 recordings costs at the API of a real gateway, and what it costs to make them findable.
 * `node bench/recording-search.bench.ts [RECORDINGS]`; with `postgres` first, on that store.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { startGateway } from '@gatehouse/gateway/gateway';
import { loadConfig } from '@gatehouse/gateway/platform/config/load-config';
import { createLog } from '@gatehouse/gateway/platform/log/create-log';
import type { Happening } from '@gatehouse/gateway/testing/recordings/playback/build-recording';
import { ordinaryWork } from '@gatehouse/gateway/testing/recordings/playback/ordinary-work';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { fillFolder, type MadeUpSession } from './recorded-sessions.ts';

const args = process.argv.slice(2);
const onPostgres = args[0] === 'postgres';
const COUNT = Number((onPostgres ? args[1] : args[0]) ?? 2_000);
/** A quarter of an hour of work each. */
const BYTES = 80_000;
const DURATION_MS = 900_000;
const ROUNDS = 25;
const LIMIT_MS = 500;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-recording-search-'));
const postgres = onPostgres ? await startPostgres({ durable: true }) : undefined;
const clusterId = '-current-';
let failed = false;

try {
  const filling = performance.now();
  const { bytes } = await fillFolder(folder, { url: postgres?.url }, sessions());
  print(`${COUNT} recordings, ${mb(bytes)} MB, made in ${seconds(filling)} s`);
  const before = storeBytes();
  const env = { GATEHOUSE_STORAGE_URL: postgres?.url };
  const { config } = loadConfig({ flags: { dataDir: folder, listen: '127.0.0.1:0' }, env, cwd: folder });
  const gateway = await startGateway(config, { log: createLog({ level: 'error', format: 'json' }) });
  try {
    const send = localSend(folder);
    const search = (text: string) =>
      call(send, recordingRoutes.search, { params: { clusterId }, query: { text } as never });
    const indexing = performance.now();
    const used = process.cpuUsage();
    // Opening one begins the work at once.
    await call(send, recordingRoutes.list, { params: { clusterId }, query: { limit: '10' } as never });
    for (let found = await search('needle0'); found.waiting > 0; found = await search('needle0')) {
      process.stderr.write(`\r${found.waiting} are waiting `);
      await sleep(1_000);
    }
    const cpuMs = process.cpuUsage(used).user / 1000;
    process.stderr.write('\r');
    print(
      `indexed in ${seconds(indexing)} s: ${((performance.now() - indexing) / COUNT).toFixed(0)} ms each, ` +
        `of which ${(cpuMs / COUNT).toFixed(0)} ms of processor time for everything the gateway did meanwhile`,
    );
    if (!onPostgres) print(`the store grew by ${((storeBytes() - before) / COUNT / 1000).toFixed(1)} KB a recording`);
    print(`beside the recordings lie ${(besideBytes() / COUNT / 1000).toFixed(1)} KB each`);

    const questions: [string, (round: number) => string][] = [
      ['a word of one recording', (round) => `needle${round * 7}`],
      ['a word of all of them', () => 'gateway'],
      ['two words of all, on one line', () => 'root lantern'],
      ['a phrase of all', () => '"rw r r 1 root"'],
      ['a text with signs', (round) => `src/kernel/orbit-${1000 + round}.o`],
      ['words never on one line', () => 'needle1 needle8'],
      ['a beginning', () => 'harb*'],
      ['a word of none', (round) => `absent${round}`],
    ];
    const all: number[] = [];
    for (const [name, text] of questions) {
      const times: number[] = [];
      const spent = process.cpuUsage();
      let hits = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const from = performance.now();
        hits += (await search(text(round))).found.length;
        times.push(performance.now() - from);
      }
      all.push(...times);
      const each = process.cpuUsage(spent).user / 1000 / ROUNDS;
      const figures = `median ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms, ${each.toFixed(0)} ms of processor time`;
      print(`${name}: ${figures}, ${(hits / ROUNDS).toFixed(1)} recordings a page`);
    }
    const p95 = Number(at(all, 0.95));
    if (p95 > LIMIT_MS) failed = true;
    print(`${p95 <= LIMIT_MS ? '✓' : '✗'} all searches: p95 ${p95} ms (at most ${LIMIT_MS})`);
  } finally {
    await gateway.close();
  }
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

function* sessions(): Generator<MadeUpSession> {
  for (let number = 0; number < COUNT; number += 1) {
    if (number % 100 === 0) process.stderr.write(`\r${number} of ${COUNT} recordings made`);
    const agoMs = 3_600_000 + (COUNT - number) * 600_000;
    yield { number, user: `user-${number % 50}`, durationMs: DURATION_MS, agoMs, happenings: work(number) };
  }
  process.stderr.write('\r');
}

/** Ordinary work, and one word that no other recording has. */
function* work(number: number): Generator<Happening> {
  let said = false;
  for (const happening of ordinaryWork({ seed: number, durationMs: DURATION_MS, bytes: BYTES })) {
    yield happening;
    if (said || happening.type !== 'output') continue;
    said = true;
    yield { ms: happening.ms, type: 'output', text: `needle${number} is here\r\n` };
  }
}

function storeBytes(): number {
  return readdirSync(folder)
    .filter((name) => name.startsWith('gatehouse.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function besideBytes(): number {
  const recordings = join(folder, 'recordings');
  return readdirSync(recordings)
    .filter((name) => name.endsWith('.index'))
    .reduce((sum, name) => sum + statSync(join(recordings, name)).size, 0);
}

function at(values: readonly number[], share: number): string {
  return ([...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0).toFixed(0);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
