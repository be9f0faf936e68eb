/** `npm run check`: types, lint, architecture and the quick tests, for use while working. The slow ones (`*.thorough.test.ts`) are for `npm test`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { ROOT, run } from './run.mjs';

/** A file slower than this on a quiet machine has outgrown the quick tests. */
const SLOW_FILE_MS = 5_000;

await ensureInstalled();
const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
const report = join(folder, 'report.json');
const quick = ['run', '--project', 'unit', '--project', 'dom'];
const [types, lint, unit] = await Promise.all([
  run('node', ['tools/types.mjs'], { capture: true }),
  run('biome', ['check', '--error-on-warnings', '.'], { capture: true }),
  run('vitest', [...quick, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]),
]);
if (types.code !== 0) process.stdout.write(types.output);
if (lint.code !== 0) process.stdout.write(lint.output);
if (unit.code === 0) nameSlowFiles();
rmSync(folder, { recursive: true, force: true });

const word = (name, code) => `${name} ${code === 0 ? 'ok' : 'FAILED'}`;
const seconds = Math.round((performance.now() - started) / 1000);
process.stdout.write(
  `${word('types', types.code)}, ${word('lint', lint.code)}, ${word('unit', unit.code)} in ${seconds} s\n`,
);
process.exit(types.code || lint.code || unit.code);

function nameSlowFiles() {
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  for (const { name, startTime, endTime } of files) {
    if (endTime - startTime < SLOW_FILE_MS) continue;
    const took = Math.round((endTime - startTime) / 1000);
    process.stdout.write(`slow: ${relative(ROOT, name)} took ${took} s; can a part become *.thorough.test.ts?\n`);
  }
}
