/** The embedded store: SQLite in the data folder, or in memory for tests. */
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { Kysely } from 'kysely';
import type { Log } from '../../std/log.ts';
import { StartError } from '../../std/start-error.ts';
import { readClusterIdentity } from '../cluster-identity.ts';
import { probeWrite } from '../meta.ts';
import { type Migration, migrate } from '../migrate.ts';
import type { Storage } from '../storage.ts';
import { DATABASE_FILE, type StoreGuard } from '../store-guard.ts';
import type { Tables } from '../tables.ts';
import { backUpBefore } from './sqlite-backup.ts';
import { openMemoryChannel, openThreadChannel, type SqliteChannel } from './sqlite-channel.ts';
import { type SqliteThreads, sqliteDialect } from './sqlite-dialect.ts';
import { lockDataFolder } from './sqlite-lock.ts';
import { lookAtFile, markUnused, markUsed } from './sqlite-use.ts';
import { PROBE, SqliteWriter } from './sqlite-writer.ts';

/** Two, so that one long search does not hold up everybody's small reads. */
const READERS = 2;
const MAX_WAIT_MS = 30_000;
/** Tests should learn soon that they wait for themselves. */
const MAX_WAIT_IN_MEMORY_MS = 2_000;

interface SqliteOptions {
  migrations: readonly Migration[];
  log: Log;
  now: () => number;
}

interface SqliteFileOptions extends SqliteOptions {
  guard?: StoreGuard;
}

export async function openSqliteStorage(folder: string, options: SqliteFileOptions): Promise<Storage> {
  const lock = lockDataFolder(folder);
  const file = join(folder, DATABASE_FILE);
  const failed = Promise.withResolvers<Error>();
  const readers: SqliteChannel[] = [];
  const news = new NewsListeners();
  let writer: SqliteWriter | undefined;

  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await Promise.all(readers.map((reader) => reader.close()));
    if (writer) await markUnused(writer);
    await writer?.close();
    lock.release();
  };
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    options.guard?.admit(lookAtFile(file));
    // SQLite gives its side files the rights of the main one, which must exist before it for that.
    closeSync(openSync(file, 'a', 0o600));
    const channel = await openWritable(file, failed.resolve);
    const errors = listenersOf(channel);
    writer = new SqliteWriter(channel, {
      maxWaitMs: MAX_WAIT_MS,
      onPublished: news.tell,
    });
    const opened = writer;
    const read: SqliteThreads['read'] = (call) => (readers.length > 0 ? idlest(readers).call(call) : opened.run(call));
    const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, read }) });
    const backUp = async ({ number }: Migration) => {
      const backup = await backUpBefore(db, folder, number, options.now());
      options.log.info({ file: backup }, 'database backed up before its migration');
    };
    await migrate(db, { engine: 'sqlite', backUp, ...options });
    const cluster = await readClusterIdentity(db, options.now());
    options.guard?.opened(cluster, statSync(file).ino);
    await markUsed(opened, options.now());
    // Only now: a reader that prepared a statement before a migration would answer with the old columns.
    readers.push(
      ...(await Promise.all(
        Array.from({ length: READERS }, () => openThreadChannel({ file, readOnly: true }, failed.resolve)),
      )),
    );
    return {
      db,
      engine: 'sqlite',
      source: { engine: 'sqlite', file },
      cluster,
      failed: failed.promise,
      probe: async () => {
        // One reader is enough: the other may be at a long search.
        await Promise.all([opened.probe(), idlest(readers).call(PROBE)]);
      },
      probeWrite: () => probeWrite(db),
      onError: (listener) => void errors.push(listener),
      watchChanges: news.watch,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface SqliteMemoryOptions extends SqliteOptions {
  /** The store begins as a copy of this one. */
  image?: Uint8Array;
}

/** A whole store in this thread's memory: quick to open, gone when closed. */
export async function openSqliteMemoryStorage({ image, ...options }: SqliteMemoryOptions): Promise<Storage> {
  const news = new NewsListeners();
  const channel = openMemoryChannel(image);
  const errors = listenersOf(channel);
  const writer = new SqliteWriter(channel, { maxWaitMs: MAX_WAIT_IN_MEMORY_MS, onPublished: news.tell });
  // One connection serves all, so a read waits for the open transaction: it must not see what is not committed.
  const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, read: (call) => writer.run(call) }) });
  await migrate(db, { engine: 'sqlite', ...options });
  return {
    db,
    engine: 'sqlite',
    source: undefined,
    cluster: await readClusterIdentity(db, options.now()),
    failed: new Promise(() => {}),
    probe: () => writer.probe(),
    probeWrite: () => probeWrite(db),
    onError: (listener) => void errors.push(listener),
    watchChanges: news.watch,
    close: () => writer.close(),
  };
}

function listenersOf(channel: SqliteChannel): ((error: unknown) => void)[] {
  const listeners: ((error: unknown) => void)[] = [];
  channel.onError = (error) => {
    for (const listener of listeners) listener(error);
  };
  return listeners;
}

async function openWritable(file: string, onFailure: (error: Error) => void): Promise<SqliteChannel> {
  try {
    return await openThreadChannel({ file, readOnly: false }, onFailure);
  } catch (error) {
    const reason = errorMessage(error);
    throw new StartError(`the database '${file}' cannot be opened: ${reason}`, { cause: error });
  }
}

class NewsListeners {
  readonly #listeners = new Set<() => void>();

  readonly tell = (): void => {
    for (const listener of this.#listeners) listener();
  };

  readonly watch = (onNews: () => void) => {
    this.#listeners.add(onNews);
    return {
      close: async () => {
        this.#listeners.delete(onNews);
      },
    };
  };
}

function idlest(readers: readonly SqliteChannel[]): SqliteChannel {
  return readers.reduce((best, reader) => (reader.pending < best.pending ? reader : best));
}
