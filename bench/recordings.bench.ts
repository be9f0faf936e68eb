/** What recording costs: bytes for each minute of an ordinary shell, and throughput of a terminal, recorded against not recorded. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf } from '@gatehouse/gateway/evidence/recordings/format/check-recording';
import { openFileSource, recordingPath } from '@gatehouse/gateway/evidence/recordings/stores/disk-store';
import { startScene } from '@gatehouse/gateway/testing/recordings/make-recording';
import { testSigner } from '@gatehouse/gateway/testing/recordings/test-signer';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { ordinaryShell } from './ordinary-shell.ts';
import { atPrompt, gatewayLine, throughput } from './terminal-line.ts';
import { OPENSSH, startTarget, startWorld } from './terminal-world.ts';

const MINUTES = 30;
const FRAME_MS = 1_000;
const ROUNDS = 5;
const MAX_WAITS = 12;
const missed: string[] = [];

function row(name: string, value: string, limit?: { is: boolean; words: string }): void {
  const verdict = limit ? `   ${limit.is ? 'kept' : 'MISSED'}: ${limit.words}` : '';
  process.stdout.write(`  ${name.padEnd(52)} ${value.padStart(22)}${verdict}\n`);
  if (limit && !limit.is) missed.push(name);
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

await measureSize();
await measureThroughput();
if (missed.length > 0) process.exitCode = 1;

/** Frames are cut a second after their first byte, as the gateway does, by a clock that is set by hand. */
async function measureSize(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const signer = testSigner();
  const scene = await startScene({ folder, signer });
  const { writer, session } = scene;
  writer.begin(0, { cols: 120, rows: 40 });
  let [clock, frameBegan, offset] = [0, 0, 0];
  for (const { ms, text } of ordinaryShell(MINUTES)) {
    if (ms - frameBegan >= FRAME_MS) {
      await writer.settled();
      frameBegan = ms;
    }
    scene.advance(ms - clock);
    clock = ms;
    const bytes = Buffer.from(text);
    writer.write(offset, bytes);
    offset += bytes.length;
  }
  writer.close({ cause: 'exited', message: 'the shell ended' });
  await writer.settled();
  const path = recordingPath(folder, session.id);
  const { size } = statSync(path);
  const source = await openFileSource(path);
  const from = performance.now();
  const found = source && (await stateOf(source, { keys: [signer.publicKey] }));
  const checkMs = performance.now() - from;
  await source?.close();
  rmSync(folder, { recursive: true });
  const perMinute = size / MINUTES / 1000;
  process.stdout.write(`an ordinary shell of ${MINUTES} minutes, ${(offset / 1000).toFixed(0)} kB printed\n`);
  row('recorded, kB per minute', perMinute.toFixed(1), { is: perMinute <= 20, words: 'at most 20' });
  row('frames, and whole afterwards', `${found?.frames} ${found?.state}`, {
    is: found?.state === 'complete',
    words: 'complete',
  });
  row('checked from end to end, ms', checkMs.toFixed(0));
}

/** In turns, so that whatever else the machine does meets both. */
async function measureThroughput(): Promise<void> {
  const users = await makeOsUsers(1);
  const login = users.names[0] as string;
  const target = await startTarget(login);
  const recorded = await startWorld({ target, login });
  const bare = await startWorld({ target, login, settings: { GATEHOUSE_RECORDINGS_MODE: 'off' } });
  const rates: Record<'recorded' | 'bare', number[]> = { recorded: [], bare: [] };
  const cpu: Record<'recorded' | 'bare', number[]> = { recorded: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, world] of Object.entries({ recorded, bare }) as ['recorded' | 'bare', typeof bare][]) {
      const line = await atPrompt(gatewayLine(world.tab, OPENSSH, login));
      if (line.recorded() !== (name === 'recorded'))
        throw new Error('a terminal is recorded when it should not be, or the other way round');
      await untilIndexed(recorded.gateway.pid());
      const before = cpuSeconds(world.gateway.pid());
      rates[name].push(await throughput(line, target.file));
      cpu[name].push(cpuSeconds(world.gateway.pid()) - before);
      line.close();
      await line.ended;
    }
  }
  await recorded.stop();
  await bare.stop();
  await target.stop();
  await users.remove();
  const [with_, without] = [median(rates.recorded), median(rates.bare)];
  // Each against the one beside it: what else the machine does changes slowly.
  const cost = 1 - median(rates.recorded.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN)));
  process.stdout.write(`cat of 100 MB to OpenSSH, median MB/s of ${ROUNDS}\n`);
  row('not recorded', without.toFixed(1));
  row('recorded', with_.toFixed(1));
  row('processor, s: not recorded, recorded', `${median(cpu.bare).toFixed(2)}, ${median(cpu.recorded).toFixed(2)}`);
  row('what recording costs', `${(cost * 100).toFixed(1)} %`, { is: cost <= 0.05, words: 'at most 5 %' });
}

/** Of the threads that move and write what is printed: that of JavaScript, and those that pack and sync. */
function cpuSeconds(pid: number, threads: RegExp = /^(MainThread|node-MainThread|node|libuv-worker)$/): number {
  let seconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readStat(`/proc/${pid}/task/${thread}/stat`)) ?? [];
    const fields = rest.split(' ');
    if (threads.test(name)) seconds += (Number(fields[11]) + Number(fields[12])) / 100;
  }
  return seconds;
}

function readStat(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The index of what was recorded is made in a thread of its own, whenever there is time: another bench has that. */
async function untilIndexed(pid: number): Promise<void> {
  let before = -1;
  for (let round = 0; round < MAX_WAITS; round += 1) {
    const now = cpuSeconds(pid, /^recording-index$/);
    if (now === before) return;
    before = now;
    await sleep(2_500);
  }
}
