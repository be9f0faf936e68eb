/**
 * What opening and seeking in a recording of eight hours and 200 MB costs at the API of a real gateway, beside one of a minute.
 * `node bench/playback.bench.ts [MEGABYTES]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { startGateway } from '@gatehouse/gateway/gateway';
import { loadConfig } from '@gatehouse/gateway/platform/config/load-config';
import { createLog } from '@gatehouse/gateway/platform/log/create-log';
import { ordinaryWork, seededRandom } from '@gatehouse/gateway/testing/recordings/playback/ordinary-work';
import { fillFolder } from './recorded-sessions.ts';

const MEGABYTES = Number(process.argv[2] ?? 200);
const HOURS = 8;
const DURATION_MS = HOURS * 3_600_000;
const ROUNDS = 40;
/** Milliseconds of the gateway's part; the player has 300 and 200 for all of it. */
const LIMITS = { first: 100, seek: 100, next: 60, growthMegabytes: 160 };

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-playback-'));
const clusterId = '-current-';
let failed = false;

try {
  const sessions = [
    {
      number: 1,
      user: 'ann',
      durationMs: 60_000,
      agoMs: 7_200_000,
      happenings: ordinaryWork({ durationMs: 60_000, bytes: 200_000 }),
    },
    {
      ...{ number: 2, user: 'ann', durationMs: DURATION_MS, agoMs: DURATION_MS + 1_000 },
      happenings: ordinaryWork({ seed: 5, durationMs: DURATION_MS, bytes: MEGABYTES * 1e6 }),
    },
  ];
  const filling = performance.now();
  const { sids, bytes } = await fillFolder(folder, {}, sessions);
  print(
    `made ${MEGABYTES} MB of output in ${HOURS} h: ${(bytes / 1e6).toFixed(1)} MB of file, in ${seconds(filling)} s`,
  );
  const { config } = loadConfig({ flags: { dataDir: folder, listen: '127.0.0.1:0' }, env: {}, cwd: folder });
  const gateway = await startGateway(config, { log: createLog({ level: 'error', format: 'json' }) });
  try {
    const send = localSend(folder);
    const [, long = ''] = sids;
    const get = (sid: string) => call(send, recordingRoutes.get, { params: { clusterId, sid } });
    const play = (sid: string, query: object) =>
      call(send, recordingRoutes.playback, { params: { clusterId, sid }, query: query as never });

    const raw = async (path: string, sid: string, query: object) =>
      (await send({ method: 'GET', url: pathFor(path, { clusterId, sid }) + queryString({ ...query }) })).text;

    // Before anything is indexed: nobody waits for the index to see the beginning.
    const cold = performance.now();
    await get(long);
    await play(long, { seek: '0' });
    judge('first frame, not indexed', performance.now() - cold, LIMITS.first * 3);
    const indexing = performance.now();
    const rssBefore = process.memoryUsage.rss();
    let rss = rssBefore;
    for (let details = await get(long); details.indexedMs < details.durationMs; details = await get(long)) {
      rss = Math.max(rss, process.memoryUsage.rss());
      await sleep(200);
    }
    print(
      `indexed in ${seconds(indexing)} s: ${(MEGABYTES / Number(seconds(indexing))).toFixed(1)} MB/s, memory grew by at most ${mb(rss - rssBefore)} MB`,
    );

    for (const sid of sids) await rounds(sid);

    async function rounds(sid: string): Promise<void> {
      const { durationMs } = await get(sid);
      const name = durationMs > 100_000 ? `${HOURS} h` : '1 min';
      const random = seededRandom(2);
      const first: number[] = [];
      const seeks: number[] = [];
      const nexts: number[] = [];
      const sizes: number[] = [];
      let cpuMs = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const from = performance.now();
        await raw(recordingRoutes.get.path, sid, {});
        await raw(recordingRoutes.playback.path, sid, { seek: 0 });
        first.push(performance.now() - from);
        const seekFrom = performance.now();
        const used = process.cpuUsage();
        const text = await raw(recordingRoutes.playback.path, sid, { seek: Math.floor(random() * durationMs) });
        seeks.push(performance.now() - seekFrom);
        cpuMs += process.cpuUsage(used).user / 1000 / ROUNDS;
        sizes.push(text.length);
        const sought = recordingRoutes.playback.reply.parse(JSON.parse(text));
        if (sought.screen?.approximate) failed = true;
        if (!sought.next) continue;
        const nextFrom = performance.now();
        const { next } = sought;
        sizes.push((await raw(recordingRoutes.playback.path, sid, { next })).length);
        nexts.push(performance.now() - nextFrom);
      }
      judge(`${name}: details and first piece, p95`, p95(first), LIMITS.first);
      judge(`${name}: seek, p95 (median ${median(seeks).toFixed(0)})`, p95(seeks), LIMITS.seek);
      print(`${name}: a seek uses ${cpuMs.toFixed(0)} ms of processor time`);
      judge(`${name}: next piece, p95`, p95(nexts), LIMITS.next);
      print(
        `${name}: a piece is ${(median(sizes) / 1000).toFixed(0)} KB, at most ${(Math.max(...sizes) / 1000).toFixed(0)} KB`,
      );
    }

    // All of it, piece by piece: what is played is let go.
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    let pieces = 0;
    const playing = performance.now();
    for (let piece = await play(long, { seek: '0' }); piece.next; piece = await play(long, { next: piece.next })) {
      pieces += 1;
      if (pieces % 20 === 0) most = Math.max(most, process.memoryUsage.rss());
    }
    print(`played all of it: ${pieces} pieces in ${seconds(playing)} s`);
    judge('memory while playing all of it grows by, MB', (most - before) / 1e6, LIMITS.growthMegabytes);
  } finally {
    await gateway.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

function judge(what: string, value: number, limit: number): void {
  const good = value <= limit;
  if (!good) failed = true;
  print(`${good ? '✓' : '✗'} ${what}: ${value.toFixed(0)} (at most ${limit})`);
}

function p95(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
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
