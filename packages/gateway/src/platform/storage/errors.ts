/** What went wrong in the store, said the same way for both engines. */

/** The store cannot answer at all: its thread died, it is overloaded, or it was closed. */
export class StoreDownError extends Error {
  override name = 'StoreDownError';
}

/** An error of SQLite that crossed from its thread; `errcode` is SQLite's extended result code. */
export class SqliteError extends Error {
  override name = 'SqliteError';
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.errcode = errcode;
  }
}

const SQLITE_UNIQUE = new Set([1555, 2067, 2579]); // primary key, unique, rowid
const SQLITE_BROKEN = new Set([5, 8, 10, 11, 13, 14, 26]); // busy, read-only, I/O, corrupt, full, cannot open, not a database
const SQLITE_FULL = 13;
const FULL_WORDS = /database or disk is full|no space left on device/i;
const POSTGRES_UNIQUE = '23505';
/** 53100 is PostgreSQL's. */
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);
// shutting down, crashed, starting, too many connections, disk full, a statement over its time
const POSTGRES_DOWN = new Set(['57P01', '57P02', '57P03', '53300', '53100', '57014']);
const NETWORK_DOWN = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN']);
const PG_DRIVER_DOWN =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

/** Whether an insert or update met a row that already has this key. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof SqliteError) return SQLITE_UNIQUE.has(error.errcode);
  return codeOf(error) === POSTGRES_UNIQUE;
}

/** Whether there is no room: on the disk, in this user's share of it, or on the disk of the database. Also as the cause of another. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && DISK_FULL.has(code)) return true;
  // Also those of SQLite that did not cross from a thread: a lock, or a database that is opened.
  if ('errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_FULL) return true;
  // An error of another thread keeps its words alone.
  if (FULL_WORDS.test(error.message)) return true;
  return error.cause !== undefined && error.cause !== error && isDiskFull(error.cause);
}

/** In words for whoever asked for something. */
export const DISK_IS_FULL = 'the disk is full: nothing can be stored until it has room again';

/** Whether something that is reached over the network is away, as opposed to having answered. */
export function isNetworkDown(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined || !NETWORK_DOWN.has(code)) return false;
  // A file that is missing is no network; a socket in the file system that is missing is.
  return code !== 'ENOENT' || (error instanceof Error && 'syscall' in error && error.syscall === 'connect');
}

/** Whether the store itself is unwell, as opposed to having refused one statement. */
export function isStoreDown(error: unknown): boolean {
  if (error instanceof StoreDownError) return true;
  if (error instanceof SqliteError) return SQLITE_BROKEN.has(error.errcode & 0xff);
  const code = codeOf(error);
  if (code !== undefined) return POSTGRES_DOWN.has(code) || isNetworkDown(error) || code.startsWith('08');
  return error instanceof Error && PG_DRIVER_DOWN.test(error.message);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
