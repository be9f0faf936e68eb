/** Installs the npm packages when they are missing or older than the lock file. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { must, ROOT } from './run.mjs';

export async function ensureInstalled() {
  if (isInstalled()) return;
  process.stdout.write('Installing packages …\n');
  // Named groups, because NODE_ENV=production would silently leave out what builds the console.
  await must('npm', ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']);
}

function isInstalled() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  return statSync(installed).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs;
}
