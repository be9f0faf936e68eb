/** `npm test`: installs what tests need and runs everything. The last line counts what passed and what failed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureAgentArchives } from './agent-archives.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages } from './debian-packages.mjs';
import { ensureInstalled } from './install.mjs';
import { run } from './run.mjs';

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

async function suite(project) {
  process.stdout.write(`── ${project} ──\n`);
  const report = join(reports, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run('vitest', args);
  const { passed, failed } = readReport(report);
  // A suite that ends badly without naming a failed test (a file that does not load, an unhandled error) has still failed.
  count(project, passed, failed === 0 && code !== 0 ? 1 : failed);
}

function readReport(file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
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
await suite('thorough');
await suite('thorough-dom');
await ensureBuilt();
await ensureAgentArchives();
await suite('integration');
await suite('browser');

rmSync(reports, { recursive: true, force: true });
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
