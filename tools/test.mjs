/** `npm test`: installs what tests need and runs everything. The last line counts what passed and what failed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureAgentArchives } from './agent-archives.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages } from './debian-packages.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT, run } from './run.mjs';

const total = { passed: 0, failed: 0 };
const reports = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));

function count(name, passed, failed) {
  total.passed += passed;
  total.failed += failed;
  process.stdout.write(`── ${name}: ${passed} passed, ${failed} failed ──\n\n`);
}

/** A step that is one check: it passes or it fails. */
async function step(name, command, args) {
  process.stdout.write(`── ${name} ──\n`);
  const { code } = await run(command, args);
  count(name, code === 0 ? 1 : 0, code === 0 ? 0 : 1);
}

async function suite(project, { aside = false } = {}) {
  if (!aside) process.stdout.write(`── ${project} ──\n`);
  const report = join(reports, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const started = performance.now();
  const { code, output } = await run('vitest', args, { capture: aside });
  if (aside) process.stdout.write(`── ${project} ──\n${output}`);
  const { passed, failed, slowest } = readReport(report);
  process.stdout.write(`${project} took ${seconds(performance.now() - started)}; longest: ${slowest}\n`);
  // A suite that ends badly without naming a failed test (a file that does not load, an unhandled error) has still failed.
  count(project, passed, failed === 0 && code !== 0 ? 1 : failed);
}

function readReport(file) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, slowest: slowestOf(testResults) };
  } catch {
    return { passed: 0, failed: 1, slowest: 'unknown' };
  }
}

/** Where to look when the whole takes too long. */
function slowestOf(files) {
  return files
    .map(({ name, startTime, endTime }) => ({ name: relative(ROOT, name), ms: endTime - startTime }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 6)
    .map(({ name, ms }) => `${name} ${seconds(ms)}`)
    .join(', ');
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(0)} s`;
}

const missing = ensureDebianPackages();
if (missing.length > 0) {
  const how = `install ${missing.length === 1 ? 'it' : 'them'} with: apt-get install ${missing.join(' ')}`;
  process.stdout.write(
    `Debian packages that tests need are missing and could not be installed: ${missing.join(', ')}; ${how}\n`,
  );
  count('Debian packages', 0, missing.length);
}
await ensureInstalled();
await step('types', 'node', ['tools/types.mjs']);
await step('lint', 'biome', ['check', '--error-on-warnings', '.']);
await suite('unit');
await suite('dom');
await ensureBuilt();
await ensureAgentArchives();
// Alone, so that a silence is the gateway's own.
await step('fuzz', 'node', ['fuzz/fuzz.ts', 'all', '--minutes', '1']);
// Real servers are waited for more than they work: beside them there is room for what is held to no time.
await Promise.all([
  suite('integration'),
  (async () => {
    await suite('thorough', { aside: true });
    await suite('thorough-dom', { aside: true });
    await suite('screens', { aside: true });
  })(),
]);
await suite('browser');

rmSync(reports, { recursive: true, force: true });
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
