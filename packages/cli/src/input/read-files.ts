/** Reads the files a command is given; `-` is what comes on standard input. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EISDIR: 'is a folder',
  EACCES: 'may not be read by you',
};

export async function readGiven({ cwd }: Pick<Io, 'cwd'>, file: string): Promise<string> {
  try {
    // Not by its number: a pipe that has nothing yet would be an error there.
    return file === '-' ? await text(process.stdin) : await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new Failure('usage', `the file '${file}' ${WHY[code] ?? `cannot be read: ${String(error)}`}`);
  }
}
