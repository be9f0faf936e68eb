/** Finds the folder Gatehouse is installed in, from the source tree as well as from the bundle. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder above this file that holds the launcher. */
export function installRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'gatehouse')) || !existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`no Gatehouse installation above ${import.meta.dirname}`);
    folder = above;
  }
  return folder;
}
