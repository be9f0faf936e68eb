/** Writes files that nobody but their owner may read. */
import { chmod, lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../runtime/failure.ts';

const OWN_ONLY = 0o600;

/** Whole or not at all, and never readable by others, not for a moment. */
export async function writeOwn(file: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, text);
}

/** Under another name first: who reads meanwhile never finds half of it. `mode`: of the one that was there. */
export async function replaceFile(file: string, text: string | Buffer, mode = OWN_ONLY): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { mode: OWN_ONLY, flag: 'wx' });
  await chmod(`${file}.new`, mode);
  await rename(`${file}.new`, file);
}

/** The file itself, where it is a link: people keep such files elsewhere, and the link stays. One that leads nowhere is not guessed about. */
export async function behindLink(file: string): Promise<string> {
  const isLink = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (!isLink) return file;
  return await realpath(file).catch(() => {
    throw new Failure('usage', `'${file}' is a link that leads nowhere: mend or remove it first`);
  });
}
