/** Builds what a user runs: the console's static files and one bundle of our own programs. Builds only what is stale. */
import { fileURLToPath } from 'node:url';
import { ensureAgentArchives } from './agent-archives.mjs';
import { isStale } from './newest.mjs';
import { BIN, must, pinnedNode, ROOT } from './run.mjs';

const CONSOLE_SOURCES = ['packages/console', 'packages/design', 'packages/contract', 'package-lock.json'];
const PROGRAM_SOURCES = ['contract', 'tunnel', 'gateway', 'agent', 'cli'].map((name) => `packages/${name}`);

export async function ensureBuilt({ force = false } = {}) {
  if (force || isStale('packages/console/dist/index.html', CONSOLE_SOURCES)) {
    process.stdout.write('Building the console …\n');
    await must(pinnedNode(), [`${BIN}/vite`, 'build', '--logLevel', 'warn'], { cwd: `${ROOT}/packages/console` });
    await must(pinnedNode(), ['tools/compress.mjs', 'packages/console/dist']);
  }
  if (force || isStale('dist/gatehouse.js', [...PROGRAM_SOURCES, 'package-lock.json', 'tools/bundle.mjs'])) {
    process.stdout.write('Building the programs …\n');
    await must(pinnedNode(), ['tools/bundle.mjs']);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const force = process.argv.includes('--force');
  await ensureBuilt({ force });
  await ensureAgentArchives({ force });
}
