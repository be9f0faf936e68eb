/** `npm run bench`: runs every benchmark of bench/, or those named. Each prints ratios against something run beside it. */
import { readdirSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT, run } from './run.mjs';

await ensureInstalled();
await ensureBuilt();
const known = readdirSync(`${ROOT}/bench`)
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.replace('.bench.ts', ''));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark is called ${unknown.join(', ')}; there are: ${known.join(', ')}\n`);
  process.exit(2);
}
let worst = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  process.stdout.write(`\n── ${name} ──\n`);
  const { code } = await run('node', [`bench/${name}.bench.ts`]);
  worst = Math.max(worst, code);
}
process.exit(worst);
