/** Installs the npm packages when what is installed is not what the lock file says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, ROOT } from './run.mjs';

export async function ensureInstalled() {
  if (isInstalled()) return;
  process.stdout.write('Installing packages …\n');
  // Named groups, because NODE_ENV=production would silently leave out what builds the console.
  await must('npm', ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** By content, not by time: a checkout makes files newer without changing them, and installing removes everything first. */
function isInstalled() {
  const installed = readPackages(join(ROOT, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(readPackages(join(ROOT, 'package-lock.json')) ?? {});
  return wanted
    .filter(([path, { link, optional }]) => path.startsWith('node_modules/') && !link && !optional)
    .every(([path, { version }]) => installed[path]?.version === version);
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}
