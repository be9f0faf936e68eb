/** Whether a gateway has the database's file open, noted in the file itself: a copy taken without the write-ahead log is then known. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { StartError } from '../../std/start-error.ts';
import { CLUSTER_ID } from '../cluster-identity.ts';
import type { FoundStore } from '../store-guard.ts';
import type { SqliteWriter } from './sqlite-writer.ts';

export const IN_USE = 'store.in-use';

/** In the header of a database that is written through a log beside it. */
const WRITE_VERSION_AT = 18;
const THROUGH_LOG = 2;

/** Changes nothing: whoever is refused may look at everything as it was. */
export function lookAtFile(file: string): FoundStore {
  const place = `the database '${file}'`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || found.size === 0) return { place, clusterId: undefined };
  // Asked first: looking inside leaves an empty log behind.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const throughLog = isThroughLog(file);
  const { clusterId, isInUse } = readFacts(file);
  return { place, clusterId, file: { inode: found.ino, isCut: isInUse && throughLog && !hasLog } };
}

/** Into the file itself, where a copy of it alone would have it. */
export async function markUsed(writer: SqliteWriter, now: number): Promise<void> {
  const sql = 'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value';
  await writer.run({ type: 'write', sql, params: [IN_USE, String(now)] });
  await writer.run({ type: 'alone', sql: 'pragma wal_checkpoint(full)', params: [] });
}

/** A store that is lost cannot be told; it then counts as used, and what it wrote last is beside it. */
export async function markUnused(writer: SqliteWriter): Promise<void> {
  await writer.run({ type: 'write', sql: 'delete from meta where key = ?', params: [IN_USE] }).catch(() => {});
}

function readFacts(file: string): { clusterId: string | undefined; isInUse: boolean } {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    if (!database.prepare("select 1 from sqlite_master where name = 'meta'").get())
      return { clusterId: undefined, isInUse: false };
    const read = database.prepare('select value from meta where key = ?');
    const clusterId = read.get(CLUSTER_ID)?.value;
    return {
      clusterId: typeof clusterId === 'string' ? clusterId : undefined,
      isInUse: read.get(IN_USE) !== undefined,
    };
  } catch (error) {
    const reason = errorMessage(error);
    throw new StartError(`the database '${file}' cannot be opened: ${reason}`, { cause: error });
  } finally {
    database?.close();
  }
}

function isThroughLog(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const byte = new Uint8Array(1);
    readSync(handle, byte, 0, 1, WRITE_VERSION_AT);
    return byte[0] === THROUGH_LOG;
  } finally {
    closeSync(handle);
  }
}
