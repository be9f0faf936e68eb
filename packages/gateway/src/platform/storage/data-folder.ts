/** The folder that holds everything of one gateway: made for its owner alone, and tried before anything relies on it. */
import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { StartError } from '../std/start-error.ts';

/** Makes the folder when it is missing and gives back its full path. */
export function openDataFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The process's umask may have taken more than it should, or a parent's default given more.
    if (made !== undefined) chmodSync(folder, 0o700);
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder');
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = errorMessage(error);
    throw new StartError(`the data folder '${folder}' cannot be used: ${reason}`, { cause: error });
  }
  return folder;
}
