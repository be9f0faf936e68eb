/** Time from starting the program to its ready line on the embedded store, beside Node doing nothing. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, ended, ROOT, ready } from '@gatehouse/testkit/gateway-process';

const ROUNDS = 10;

async function startToReady(dataDir: string): Promise<number> {
  const env = { ...cleanEnvironment(), GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_LISTEN: `127.0.0.1:${await freePort()}` };
  const started = performance.now();
  const child = spawn(join(ROOT, 'gatehouse'), ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  await ready(child);
  const took = performance.now() - started;
  await ended(child, 'SIGTERM');
  return took;
}

async function bareNode(): Promise<number> {
  const started = performance.now();
  const child = spawn(join(ROOT, 'node_modules', '.bin', 'node'), ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - started;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

const first: number[] = [];
const again: number[] = [];
const bare: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  bare.push(await bareNode());
  first.push(await startToReady(dataDir));
  again.push(await startToReady(dataDir));
  rmSync(dataDir, { recursive: true });
}
const row = (name: string, values: number[]) =>
  `${name.padEnd(34)} ${median(values).toFixed(0).padStart(6)} ms   ${(median(values) / median(bare)).toFixed(1).padStart(6)} × bare Node`;
console.log(`median of ${ROUNDS}`);
console.log(row('node -e 0', bare));
console.log(row('gatehouse start, empty data folder', first));
console.log(row('gatehouse start, data folder there', again));
