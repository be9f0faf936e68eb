/**
 * `npm run bench`: runs every benchmark of bench/, or those named; words behind a name are handed to it, as in
 * `npm run bench -- terminal throughput echo`. Each prints ratios against something run beside it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { planBenchmarks } from './bench-plan.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT, run } from './run.mjs';

const END = '.bench.ts';
const known = readdirSync(`${ROOT}/bench`)
  .filter((file) => file.endsWith(END))
  .map((file) => ({
    name: file.replace(END, ''),
    takesWords: /process\.argv|wantedPhases/.test(readFileSync(`${ROOT}/bench/${file}`, 'utf8')),
  }));
const plan = planBenchmarks(process.argv.slice(2), known);
if ('refused' in plan) {
  process.stderr.write(`${plan.refused}\n`);
  process.exit(2);
}
await ensureInstalled();
await ensureBuilt();
let worst = 0;
for (const { name, words } of plan.runs) {
  process.stdout.write(`\n── ${[name, ...words].join(' ')} ──\n`);
  const { code } = await run('node', [`bench/${name}${END}`, ...words]);
  worst = Math.max(worst, code);
}
process.exit(worst);
