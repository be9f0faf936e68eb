/** Reads the files a command is given; `-` is what comes on standard input. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from './command.ts';
import { Failure } from './failure.ts';

export function readFile({ cwd }: Pick<Io, 'cwd'>, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : resolve(cwd, file), 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'is not there' : String(error);
    throw new Failure('usage', `the file '${file}' ${why}`);
  }
}
