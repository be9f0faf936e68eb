/**
 * Removes a folder with all that is in it, going from open folder to open folder: whoever puts a link in the place of one
 * meanwhile has nothing else emptied. Node knows no paths from an open folder; on Linux each has one below /proc.
 */
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rmdir, unlink } from 'node:fs/promises';
import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { codeOf, SftpFailure } from './sftp-failure.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
/** Each level is an open folder. */
const MAX_DEPTH = 100;
/** In one go, so that whoever waits hears something; the rest is asked for again. */
const MAX_AT_ONCE = 2_000;
const MAX_MS = 5_000;
/** What opening something as a folder says where it is none, or a link to one. */
const NO_FOLDER = ['ENOTDIR', 'ELOOP'];

export interface Removed {
  removed: number;
  /** False: there is more. */
  isDone: boolean;
}

export async function removeTree(above: Buffer, name: Buffer): Promise<Removed> {
  const parent = await open(above, FOLDER);
  try {
    const work = { removed: 0, until: performance.now() + MAX_MS };
    const isDone = await removeFolder(parent, name, work, 0);
    return { removed: work.removed, isDone };
  } finally {
    await parent.close();
  }
}

interface Going {
  removed: number;
  until: number;
}

/** True when it is gone. */
async function removeFolder(parent: FileHandle, name: Buffer, work: Going, depth: number): Promise<boolean> {
  if (depth > MAX_DEPTH) throw new SftpFailure(STATUS.failure, 'folders are nested too deeply');
  const folder = await open(within(parent, name), FOLDER | constants.O_NOFOLLOW);
  try {
    for await (const entry of await opendir(within(folder), { encoding: 'buffer' as BufferEncoding })) {
      if (work.removed >= MAX_AT_ONCE || performance.now() > work.until) return false;
      if (!(await removeEntry(folder, entry, work, depth))) return false;
    }
  } finally {
    await folder.close();
  }
  await rmdir(within(parent, name));
  work.removed += 1;
  return true;
}

async function removeEntry(folder: FileHandle, entry: Dirent, work: Going, depth: number): Promise<boolean> {
  const name = Buffer.from(entry.name);
  if (await isFolder(folder, entry, name)) {
    try {
      return await removeFolder(folder, name, work, depth + 1);
    } catch (error) {
      // Somebody has put something else there since: a link goes as a link.
      if (!NO_FOLDER.includes(codeOf(error))) throw error;
    }
  }
  await unlink(within(folder, name)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  work.removed += 1;
  return true;
}

/** Not every file system says it in its listing. */
async function isFolder(folder: FileHandle, entry: Dirent, name: Buffer): Promise<boolean> {
  if (entry.isDirectory()) return true;
  if (entry.isFile() || entry.isSymbolicLink()) return false;
  return (await lstat(within(folder, name))).isDirectory();
}

function within({ fd }: FileHandle, name: Buffer = Buffer.from('.')): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name]);
}
