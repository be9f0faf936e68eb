/** Installs the JavaScript client of Kubernetes that tests drive beside kubectl, by a lock file of its own: nobody else needs its 68 packages. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must, ROOT } from './run.mjs';

const FOLDER = join(ROOT, 'packages', 'testkit', 'client-node');

export async function ensureClientNode() {
  if (existsSync(join(FOLDER, 'node_modules', '@kubernetes', 'client-node', 'package.json'))) return;
  process.stdout.write('Installing the JavaScript client of Kubernetes for tests …\n');
  await must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: FOLDER });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureClientNode();
