/** Copies single files for a backup or out of one: for their owner alone, on disk before it is said, and counted by what was written. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeOwnFile } from '../../platform/std/own-file.ts';
import type { BackupFile } from './manifest.ts';

const PIECE_BYTES = 1 << 20;

/** Undefined when it has gone meanwhile: recordings expire and are uploaded while they are copied. */
export async function copyInto(root: string, path: string, from: string): Promise<BackupFile | undefined> {
  const to = join(root, path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    const source = await open(from, 'r');
    const { atime, mtime } = await source.stat();
    // Closed by the streams. Not by a copy of the system: that gives the mode of what is copied.
    const target = await makeOwnFile(to).catch(async (error: unknown) => {
      await source.close();
      throw error;
    });
    await pipeline(source.createReadStream({ highWaterMark: PIECE_BYTES }), target.createWriteStream());
    // Recordings are known by their times too: another one would have each looked at again.
    await utimes(to, atime, mtime);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return await written(root, path);
}

/** What lies there now, flushed. */
export async function written(root: string, path: string): Promise<BackupFile> {
  const file = join(root, path);
  const handle = await open(file, 'r');
  try {
    await handle.sync();
    const { size } = await handle.stat();
    return { path, bytes: size, sha256: await sha256(file) };
  } finally {
    await handle.close();
  }
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: PIECE_BYTES }), hash);
  return hash.digest('hex');
}

/** Ordinary files below a folder, by their paths in it; none when there is no such folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
