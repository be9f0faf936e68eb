/** Takes a backup of a gateway with SQLite, running or not, without holding up its writes: from another process, at one moment of the store. */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { VERSION } from '@gatehouse/contract/std/version';
import { makeEmptyOwnFile } from '../../platform/std/own-file.ts';
import { StartError } from '../../platform/std/start-error.ts';
import { CLUSTER_ID } from '../../platform/storage/cluster-identity.ts';
import { IN_USE, lookAtFile } from '../../platform/storage/sqlite/sqlite-use.ts';
import { DATABASE_FILE, MARKER_FILE } from '../../platform/storage/store-guard.ts';
import { MEMORY_FILE } from '../audit-log/signed-memory.ts';
import { copyInto, filesBelow, written } from './copy-file.ts';
import { type BackupFile, MANIFEST_FILE, type Manifest } from './manifest.ts';

export interface BackupOptions {
  dataDir: string;
  to: string;
  /** Where the master key lies; undefined where the operator keeps it as a setting. */
  keyFile: string | undefined;
  isRunning: boolean;
  withRecordings: boolean;
  withKeys: boolean;
  now: number;
}

/** What a gateway that runs keeps in its agent's folder for the moment only. */
const PASSING = /\.log(\.\d+)?$|\.pid$|\.sock$|\.lock$/;

export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { dataDir, isRunning, withRecordings, withKeys, now } = options;
  const database = join(dataDir, DATABASE_FILE);
  const found = existsSync(database) ? lookAtFile(database) : undefined;
  if (found?.clusterId === undefined) throw new StartError(`there is no store to back up in '${dataDir}'`);
  const to = emptyFolder(options.to, dataDir);
  const files: BackupFile[] = [];
  const take = async (path: string, from = join(dataDir, path)) => {
    const copied = existsSync(from) ? await copyInto(to, path, from) : undefined;
    if (copied) files.push(copied);
  };

  // Before the store: what was signed must be in the store that is copied.
  await take(MEMORY_FILE);
  const facts = await copyDatabase(database, to);
  files.push(await written(to, DATABASE_FILE));
  // Of a gateway that runs, what waits goes into the store by itself.
  if (!isRunning)
    for (const name of await filesBelow(join(dataDir, 'audit-queue'))) await take(join('audit-queue', name));
  if (withRecordings) {
    for (const name of await filesBelow(join(dataDir, 'recordings'))) await take(join('recordings', name));
  }
  if (withKeys) {
    if (options.keyFile !== undefined) await take('secrets.key', options.keyFile);
    for (const folder of ['tls', 'local-agent']) {
      const names = (await filesBelow(join(dataDir, folder))).filter((name) => !PASSING.test(name));
      for (const name of names) await take(join(folder, name));
    }
  }
  const { clusterId, created, ...rest } = facts;
  await writeFile(join(to, MARKER_FILE), `${JSON.stringify({ clusterId, created })}\n`, { mode: 0o600 });
  files.push(await written(to, MARKER_FILE));
  const hasKeys = files.some(({ path }) => path === 'secrets.key');
  const made = new Date(now).toISOString();
  const told: Manifest = {
    ...{ format: 1, version: VERSION, made, clusterId, created, ...rest },
    ...{ hasKeys, hasRecordings: withRecordings, files },
  };
  const unfinished = join(to, `${MANIFEST_FILE}.unfinished`);
  await writeFile(unfinished, `${JSON.stringify(told, null, 1)}\n`, { mode: 0o600 });
  await rename(unfinished, join(to, MANIFEST_FILE));
  return told;
}

function emptyFolder(wanted: string, dataDir: string): string {
  const to = resolve(wanted);
  if (`${to}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
    throw new StartError(`'${to}' is in the data folder: a backup there is lost with it`);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (!statSync(to).isDirectory() || readdirSync(to).length > 0)
    throw new StartError(`'${to}' is not empty: name a new folder for the backup`);
  return to;
}

interface StoreFacts extends Pick<Manifest, 'clusterId' | 'created' | 'schema' | 'keyId'> {}

/** SQLite writes the copy from one moment of the store, whatever is committed meanwhile. */
async function copyDatabase(database: string, to: string): Promise<StoreFacts> {
  const unfinished = join(to, `${DATABASE_FILE}.unfinished`);
  try {
    await makeEmptyOwnFile(unfinished);
    const source = new DatabaseSync(database, { readOnly: true, timeout: 30_000 });
    try {
      source.prepare('vacuum into ?').run(unfinished);
    } finally {
      source.close();
    }
    const facts = checkCopy(unfinished);
    await rename(unfinished, join(to, DATABASE_FILE));
    return facts;
  } catch (error) {
    await rm(unfinished, { force: true });
    const reason = errorMessage(error);
    throw new StartError(`the store cannot be copied: ${reason}`, { cause: error });
  }
}

function checkCopy(file: string): StoreFacts {
  const copy = new DatabaseSync(file);
  try {
    const [check] = Object.values(copy.prepare('pragma quick_check(1)').get() ?? {});
    if (check !== 'ok') throw new Error(`the copy is damaged: ${String(check)}`);
    copy.prepare('delete from meta where key = ?').run(IN_USE);
    const meta = copy.prepare('select value from meta where key = ?');
    const step = copy.prepare('select number, name from migration order by number desc limit 1').get();
    return {
      clusterId: String(meta.get(CLUSTER_ID)?.value),
      created: new Date(Number(meta.get('cluster.created')?.value ?? 0)).toISOString(),
      schema: { number: Number(step?.number), name: String(step?.name) },
      keyId: String(meta.get('secrets.check')?.value ?? '').split('.')[1] ?? '',
    };
  } finally {
    copy.close();
  }
}
