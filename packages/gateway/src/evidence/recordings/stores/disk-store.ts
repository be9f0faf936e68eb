/** Recordings in a folder of this machine: `<sid>.rec`, and what was made from it as `<sid>.<name>` beside it. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, opendir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../platform/std/app-error.ts';
import { isBeside, isSid, type RecordingSource, type RecordingStore, requireBeside } from './recording-store.ts';

const ENDING = '.rec';

export function recordingPath(folder: string, sid: string): string {
  if (!isSid(sid)) throw new RangeError(`'${sid}' is not the id of a session`);
  return join(folder, `${sid}${ENDING}`);
}

export interface DiskStore extends RecordingStore {
  /** Names of what was made from it. */
  beside(sid: string): Promise<string[]>;
}

export function openDiskStore(folder: string): DiskStore {
  return {
    async beside(sid) {
      const all = (await names(folder)).filter((name) => name.startsWith(`${sid}.`) && !name.endsWith(ENDING));
      return all.map((name) => name.slice(sid.length + 1)).filter(isBeside);
    },

    async open(sid) {
      if (!isSid(sid)) return undefined;
      return await openFileSource(recordingPath(folder, sid));
    },

    async *list() {
      for (const name of await names(folder)) {
        const sid = name.slice(0, -ENDING.length);
        if (!name.endsWith(ENDING) || !isSid(sid)) continue;
        const found = await stat(join(folder, name)).catch(unlessMissing);
        if (found) yield { sid, bytes: found.size, changed: Math.trunc(found.mtimeMs) };
      }
    },

    async remove(sid) {
      if (!isSid(sid)) return;
      // The recording last: what is beside it could not be found again without it.
      const all = (await names(folder)).filter((name) => name.startsWith(`${sid}.`));
      for (const name of all.sort((a) => (a.endsWith(ENDING) ? 1 : -1)))
        await unlink(join(folder, name)).catch(unlessMissing);
    },

    async readBeside(sid, name) {
      requireBeside(sid, name);
      return await readFile(join(folder, `${sid}.${name}`)).catch(unlessMissing);
    },

    async writeBeside(sid, name, bytes) {
      requireBeside(sid, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${sid}.${name}`);
      const fresh = `${path}.${randomBytes(4).toString('hex')}`;
      try {
        await writeFile(fresh, bytes, { mode: 0o600 });
        await rename(fresh, path);
      } catch (error) {
        await unlink(fresh).catch(() => {});
        throw error;
      }
    },
  };
}

export async function openFileSource(path: string): Promise<RecordingSource | undefined> {
  const file = await open(path).catch(unlessMissing);
  if (!file) return undefined;
  const { size, mtimeMs } = await file.stat();
  return {
    bytes: size,
    changed: Math.trunc(mtimeMs),
    async read(from, length) {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => file.close(),
  };
}

async function names(folder: string): Promise<string[]> {
  const found = await opendir(folder).catch(unlessMissing);
  const all: string[] = [];
  for await (const { name } of found ?? []) all.push(name);
  return all;
}

function unlessMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return undefined;
  if (code === 'ENOTDIR')
    throw new AppError(
      'not_available',
      'the folder of recordings is a file, or inside of one: look at the data folder',
      {
        cause: error,
      },
    );
  throw error;
}
