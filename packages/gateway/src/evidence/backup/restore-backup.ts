/** Puts a backup into an empty data folder, after everything in it was found to be what was backed up. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isAbsolute, join, normalize, resolve } from 'node:path';
import { parseMasterKeys } from '../../platform/secrets/master-key.ts';
import { StartError } from '../../platform/std/start-error.ts';
import { openDataFolder } from '../../platform/storage/data-folder.ts';
import { MIGRATIONS } from '../../platform/storage/migrations.ts';
import { DATABASE_FILE } from '../../platform/storage/store-guard.ts';
import { copyInto, sha256 } from './copy-file.ts';
import { MANIFEST_FILE, type Manifest, manifest } from './manifest.ts';

export interface RestoreOptions {
  from: string;
  dataDir: string;
  /** A copy of the master key, where the backup has none. */
  keyFile: string | undefined;
  /** Only say whether it could be done. */
  isDry: boolean;
}

export interface Restored {
  told: Manifest;
  /** Whether the folder has the key that opens its secrets. */
  hasKey: boolean;
}

/** What an operator may have put there before. */
const MAY_BE_THERE = ['gatehouse.yaml', 'secrets.key'];

export async function restoreBackup({ from, dataDir, keyFile, isDry }: RestoreOptions): Promise<Restored> {
  const told = readManifest(from);
  requireKnown(told);
  const inTheWay = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => !MAY_BE_THERE.includes(name)) : [];
  if (inTheWay.length > 0) {
    throw new StartError(
      `the data folder '${resolve(dataDir)}' is not empty (${inTheWay.slice(0, 3).join(', ')}): restore into a new one`,
    );
  }
  const own = join(dataDir, 'secrets.key');
  const given = keyFile ?? (existsSync(own) ? own : undefined);
  if (given !== undefined) requireKey(given, told);
  for (const { path, sha256: expected } of told.files) {
    const file = join(from, path);
    if (!existsSync(file)) throw new StartError(`the backup '${from}' is not whole: '${path}' is missing`);
    if ((await sha256(file)) !== expected)
      throw new StartError(`the backup '${from}' is damaged: '${path}' is not what was backed up`);
  }
  if (isDry) return { told, hasKey: told.hasKeys || given !== undefined };

  openDataFolder(dataDir);
  // The database under its name at the very last: a restore that was broken off cannot be started on.
  for (const { path } of told.files) {
    if (path === 'secrets.key' && given !== undefined) continue;
    await copyInto(dataDir, path === DATABASE_FILE ? UNFINISHED : path, join(from, path));
  }
  if (given !== undefined && given !== own) {
    await copyInto(dataDir, 'secrets.key.unfinished', given);
    await rename(`${own}.unfinished`, own);
  }
  await rename(join(dataDir, UNFINISHED), join(dataDir, DATABASE_FILE));
  return { told, hasKey: existsSync(own) };
}

const UNFINISHED = `${DATABASE_FILE}.unfinished`;

function readManifest(from: string): Manifest {
  const file = join(from, MANIFEST_FILE);
  if (!existsSync(file)) throw new StartError(`'${from}' is no whole backup: it has no ${MANIFEST_FILE}`);
  try {
    const told = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (told.files.every(({ path }) => !isAbsolute(path) && normalize(path) === path && !path.startsWith('..')))
      return told;
  } catch (cause) {
    throw new StartError(`'${file}' cannot be read: is it a backup of a newer Gatehouse?`, { cause });
  }
  throw new StartError(`'${file}' names files outside of the backup`);
}

function requireKnown({ schema, version }: Manifest): void {
  const newest = MIGRATIONS.at(-1)!;
  if (schema.number <= newest.number) return;
  throw new StartError(
    `the backup was made by Gatehouse ${version} with the tables of step ${schema.number}; ` +
      `this one knows steps up to ${newest.number}: restore it with the newer Gatehouse`,
  );
}

function requireKey(file: string, { keyId }: Manifest): void {
  const keys = parseMasterKeys(readFileSync(file, 'utf8'));
  if (keys?.some(({ id }) => id === keyId)) return;
  throw new StartError(`'${file}' does not hold the key ${keyId}, with which the secrets of this backup are sealed`);
}
