/** Makes a new file for its owner alone before anything is in it: a mode that is set afterwards comes too late. */
import { type FileHandle, open } from 'node:fs/promises';

/** Refused where something is there already. */
export async function makeOwnFile(file: string): Promise<FileHandle> {
  const handle = await open(file, 'wx', 0o600);
  // The mask may take more than it should, or the folder's default give more.
  await handle.chmod(0o600);
  return handle;
}

/** For whoever fills it by its name; SQLite takes an empty file for a new database, and gives its journal the same mode. */
export async function makeEmptyOwnFile(file: string): Promise<void> {
  await (await makeOwnFile(file)).close();
}
