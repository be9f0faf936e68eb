/** `npm test`: installs what tests need and runs everything. The last line counts what passed and what failed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureAgentArchives } from './agent-archives.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureClientNode } from './client-node.mjs';
import { ensureDebianPackages } from './debian-packages.mjs';
import { ensureInstalled } from './install.mjs';
import { ensureKubectls } from './kubectl.mjs';
import { ensurePostgres18 } from './postgres-18.mjs';
import { ROOT, run } from './run.mjs';
import { QUICK_SUITES, SLOW_SUITES } from './test-plan.mjs';

const total = { passed: 0, failed: 0 };
/** Of every suite, with how long each took. */
const files = [];
/** What failed, in a line or two each: said again at the end, for whoever sees no more than the end of the log. */
const failures = [];
const reports = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));

function count(name, passed, failed) {
  total.passed += passed;
  total.failed += failed;
  process.stdout.write(`── ${name}: ${passed} passed, ${failed} failed ──\n\n`);
}

/** A step that is one check: it passes or it fails. What it prints is shown when it is over: others print meanwhile. */
async function step(name, command, args) {
  process.stdout.write(`── ${name} begins ──\n`);
  const started = performance.now();
  const { code, output } = await run(command, args, { capture: true });
  process.stdout.write(`── ${name} took ${seconds(performance.now() - started)} ──\n${output}`);
  if (code !== 0) failures.push(`${name}: exit code ${code}\n${lastLines(output)}`);
  count(name, code === 0 ? 1 : 0, code === 0 ? 0 : 1);
}

/** Suites out of one queue: no worker is left with a long one at the end. What passes is a dot at once, what fails is told at once too. */
async function suites(name, projects) {
  const report = join(reports, `${name.replaceAll(/\W+/g, '-')}.json`);
  process.stdout.write(`── ${name} begin: ${projects.join(', ')} ──\n`);
  const reporters = ['dot', './tools/failures-at-once.ts', 'json'].map((reporter) => `--reporter=${reporter}`);
  const args = ['run', ...reporters, `--outputFile.json=${report}`];
  const started = performance.now();
  const { code, output } = await run('vitest', [...args, ...projects.flatMap((project) => ['--project', project])], {
    capture: true,
    show: true,
  });
  process.stdout.write(`── ${name} took ${seconds(performance.now() - started)} ──\n`);
  const { passed, failed } = readReport(report);
  // Suites that end badly without naming a failed test (a file that does not load, an unhandled error) have still failed.
  const unnamed = failed === 0 && code !== 0;
  if (unnamed) failures.push(`${name}: exit code ${code}\n${lastLines(output)}`);
  count(name, passed, unnamed ? 1 : failed);
}

function lastLines(output) {
  return output.trimEnd().split('\n').slice(-20).join('\n');
}

function readReport(file) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
    files.push(...testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime })));
    let broken = 0;
    for (const { name, status: whole, message, assertionResults } of testResults) {
      // A file that does not load, or whose preparation fails, names no test, and hides all it has.
      if (whole === 'failed' && assertionResults.every(({ status }) => status !== 'failed')) {
        broken++;
        failures.push(
          `${relative(ROOT, name)}: the file itself\n${message || 'what it prepares failed; look for its name above'}`,
        );
      }
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed') failures.push(`${relative(ROOT, name)}: ${fullName}\n${failureMessages.join('\n')}`);
      }
    }
    return { passed: numPassedTests, failed: numFailedTests + broken };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** Where to look when the whole takes too long. */
function slowestFiles() {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ name, ms }) => `${seconds(ms).padStart(6)}  ${relative(ROOT, name)}\n`)
    .join('');
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(0)} s`;
}

/** One after the other. */
async function inTurn(...jobs) {
  for (const job of jobs) await job();
}

const missing = ensureDebianPackages();
if (missing.length > 0) {
  const how = `install ${missing.length === 1 ? 'it' : 'them'} with: apt-get install ${missing.join(' ')}`;
  process.stdout.write(
    `Debian packages that tests need are missing and could not be installed: ${missing.join(', ')}; ${how}\n`,
  );
  count('Debian packages', 0, missing.length);
}
const kubectls = ensureKubectls();
if (kubectls.length > 0) {
  process.stdout.write(`Clients of Kubernetes that tests need could not be had: ${kubectls.join(', ')}\n`);
  count('kubectl', 0, kubectls.length);
}
const began = performance.now();
await ensureInstalled();
await ensurePostgres18();
await ensureClientNode();
await Promise.all([
  inTurn(
    () => step('types', 'node', ['tools/types.mjs']),
    () => step('lint', 'biome', ['check', '--error-on-warnings', '.']),
    ensureBuilt,
    ensureAgentArchives,
  ),
  suites('quick tests', QUICK_SUITES),
]);
await Promise.all([
  suites('slow tests', SLOW_SUITES),
  // What it calls a silence leaves out how long others had the core.
  step('fuzz', 'node', ['fuzz/fuzz.ts', 'all', '--minutes', '1']),
]);

rmSync(reports, { recursive: true, force: true });
process.stdout.write(`The slowest files of ${seconds(performance.now() - began)}:\n${slowestFiles()}`);
for (const failure of failures) process.stdout.write(`\nFailed: ${failure.slice(0, 3000)}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
