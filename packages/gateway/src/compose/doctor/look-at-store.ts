/** Whether the store opens, can be written and has room. Nothing of what is tried stays. */
import { accessSync, closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { toldError } from '../../platform/std/told-error.ts';
import { isDiskFull } from '../../platform/storage/errors.ts';
import { MIGRATIONS } from '../../platform/storage/migrations.ts';
import { DATABASE_FILE } from '../../platform/storage/store-guard.ts';
import { type Finding, fails, stands } from './check.ts';

const MEGABYTE = 1024 * 1024;
/** As the gateway itself has it: with less not even the next page of the database fits for long. */
const MIN_MEGABYTES = 1;
/** A file without a name, which nobody ever sees: a flag of Linux that Node has no word for. */
const UNNAMED = 0o20000000 | constants.O_DIRECTORY;
const PROBE_BYTES = 64 * 1024;
const CONNECT_MS = 8_000;

/** Room in the data folder, and whether this process may write there. */
export async function lookAtRoom({
  dataDir,
  recordings,
}: Pick<GatewayConfig, 'dataDir' | 'recordings'>): Promise<Finding> {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (!found) return fails(`there is no data folder '${dataDir}'`, 'the first start makes it: gatehouse start');
  try {
    tryToWrite(dataDir);
  } catch (error) {
    const next = isDiskFull(error) ? `make room at ${dataDir}` : `make '${dataDir}' writable for the gateway's user`;
    return fails(`the data folder '${dataDir}' cannot be written: ${toldError(error)}`, next);
  }
  const { bavail, bfree, bsize, ffree, files } = await statfs(dataDir);
  const free = Math.floor(((process.getuid?.() === 0 ? bfree : bavail) * bsize) / MEGABYTE);
  if (files > 0 && ffree === 0)
    return fails(`no more files can be made at ${dataDir}`, 'remove files from that file system');
  if (free < MIN_MEGABYTES) return fails(`the disk is full at ${dataDir}`, `make room at ${dataDir}`);
  const kept = recordings.mode === 'off' ? 0 : (recordings.keepFreeMegabytes ?? 0);
  if (free < kept)
    return fails(
      `only ${free} MB are free at ${dataDir}: below ${kept} MB sessions are not recorded`,
      'make room, or set recordings.keepFreeMegabytes lower',
    );
  return stands(`${free} MB are free at ${dataDir}`);
}

/** With the gateway stopped: it is read as it lies there, and nothing is made beside it. */
export async function lookAtClosedStore(config: Pick<GatewayConfig, 'dataDir' | 'storage'>): Promise<Finding> {
  const url = config.storage.url?.reveal();
  return url === undefined ? lookAtFile(config.dataDir) : await lookAtPostgres(url);
}

function lookAtFile(dataDir: string): Finding {
  const file = join(dataDir, DATABASE_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found)
    return fails(`there is no store yet: '${file}' does not exist`, 'the first start makes it: gatehouse start');
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    return fails(`the store cannot be written: ${toldError(error)}`, `make '${file}' writable for the gateway's user`);
  }
  // What was written last lies beside the file; without it the file alone may be half of something.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return stands(`'${file}' was not closed in order; the next start takes up what was written last`);
  let database: DatabaseSync | undefined;
  try {
    const place = pathToFileURL(file);
    place.searchParams.set('immutable', '1');
    database = new DatabaseSync(place, { readOnly: true });
    const last = database.prepare('select number, name from migration order by number desc limit 1').get();
    const newest = MIGRATIONS.at(-1)?.number ?? 0;
    if (Number(last?.number) > newest)
      return fails(
        `the store is of a newer Gatehouse (version ${last?.number}; this one knows ${newest})`,
        'start the newer Gatehouse, or restore a backup from before the upgrade',
      );
    return stands(`'${file}' opens`);
  } catch (error) {
    return fails(`the store '${file}' does not open: ${toldError(error)}`, 'restore a backup: gatehouse restore');
  } finally {
    database?.close();
  }
}

async function lookAtPostgres(url: string): Promise<Finding> {
  const { default: pg } = await import('pg');
  const { host, pathname, searchParams } = new URL(url);
  const name = `the database at '${host || searchParams.get('host') || 'the local socket'}${pathname}'`;
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("select to_regclass('meta')::text as found, pg_is_in_recovery() as follows");
    if (rows[0]?.follows === true)
      return fails(
        `${name} is a copy that cannot be written`,
        'put the address of the one it follows into storage.url',
      );
    if (rows[0]?.found === null) return fails(`${name} is empty`, 'the first start fills it: gatehouse start');
    // Taken and given back: whoever may take it may write.
    await client.query('begin');
    await client.query('lock table meta in row exclusive mode nowait');
    await client.query('rollback');
    return stands(`${name} answers and can be written`);
  } catch (error) {
    return fails(`${name} cannot be used: ${toldError(error)}`, 'look at storage.url, and whether PostgreSQL runs');
  } finally {
    await client.end().catch(() => {});
  }
}

function tryToWrite(folder: string): void {
  let file: number;
  try {
    file = openSync(folder, constants.O_WRONLY | UNNAMED, 0o600);
  } catch (error) {
    // Not every file system has such files; then what it says of its rights must do.
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (!['EOPNOTSUPP', 'EISDIR', 'EINVAL', 'ENOENT'].includes(String(code))) throw error;
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return;
  }
  try {
    writeSync(file, Buffer.alloc(PROBE_BYTES));
  } finally {
    closeSync(file);
  }
}
