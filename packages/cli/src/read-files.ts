/** Reads the files a command is given; `-` is what comes on standard input. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Io } from './command.ts';
import { Failure } from './failure.ts';

export async function readGiven({ cwd }: Pick<Io, 'cwd'>, file: string): Promise<string> {
  try {
    // Not by its number: a pipe that has nothing yet would be an error there.
    return file === '-' ? await text(process.stdin) : await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'is not there' : String(error);
    throw new Failure('usage', `the file '${file}' ${why}`);
  }
}
