/** Finds a program of the system by its name, in the places of the system alone. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM_PATH } from './environment.ts';

export function findProgram(name: string): string | undefined {
  return SYSTEM_PATH.split(':')
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
