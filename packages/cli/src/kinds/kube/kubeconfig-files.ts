/** The kubeconfig files of this user, found, locked and written as kubectl does it. */
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { Io } from '../../command.ts';
import { behindLink, replaceFile } from '../../output/write-own.ts';
import { Failure } from '../../runtime/failure.ts';
import { BrokenKubeconfig, type Kubeconfig, readKubeconfig } from './kubeconfig-entries.ts';

export interface KubeconfigFile {
  path: string;
  exists: boolean;
  config: Kubeconfig;
}

export interface KubeconfigFiles {
  /** In the order in which they count: of two entries of one name the first is the one. */
  all: readonly KubeconfigFile[];
  /** Where what is new goes: the first that exists, and the last where none does. */
  first: KubeconfigFile;
}

const LOCK_MS = 5_000;
const LOOK_EVERY_MS = 50;
/** Of a folder that may only be read: whoever cannot lock it cannot write there either, and says so then. */
const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);

export function kubeconfigPaths({ env, cwd }: Io): string[] {
  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  const paths = named.length > 0 ? named : [join(env.HOME || homedir(), '.kube', 'config')];
  return [...new Set(paths.map((path) => resolve(cwd, path)))];
}

/** Nobody else changes them meanwhile; what has changed is written at the end, each file whole or not at all. */
export async function changeKubeconfigs<Result>(io: Io, change: (files: KubeconfigFiles) => Result): Promise<Result> {
  const paths = kubeconfigPaths(io);
  const real = await Promise.all(paths.map(behindLink));
  // Before it is locked: what is not there yet could be made by two at once.
  if (!real.some((path) => existsSync(path)))
    await mkdir(dirname(real.at(-1)!), { recursive: true, mode: 0o700 }).catch(unwritable(real.at(-1)!));
  const locks: string[] = [];
  try {
    for (const path of [...new Set(real)].sort()) if (await lock(path)) locks.push(lockOf(path));
    const read = await Promise.all(real.map(readOne));
    const files = read.map(({ path, exists, config }) => ({ path, exists, config }));
    const result = change({ all: files, first: files.find(({ exists }) => exists) ?? files.at(-1)! });
    for (const { path, before, config } of read) {
      const after = config.text();
      if (after === before || (before === '' && config.names('contexts').length === 0)) continue;
      await write(path, after);
    }
    return result;
  } finally {
    for (const path of locks) await rm(path, { force: true });
  }
}

const lockOf = (path: string) => `${path}.lock`;

async function readOne(path: string) {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure('usage', `'${path}' cannot be read: ${error.message}`);
  });
  try {
    const config = readKubeconfig(text ?? '');
    // As it would be written: what only looks different is not changed.
    return { path, exists: text !== undefined, before: text === undefined ? '' : config.text(), config };
  } catch (error) {
    if (!(error instanceof BrokenKubeconfig)) throw error;
    throw new Failure('usage', `'${path}' is no kubeconfig file, and stays as it is: ${error.message}`);
  }
}

/** False where there is nothing to lock. */
async function lock(path: string): Promise<boolean> {
  for (const until = Date.now() + LOCK_MS; ; ) {
    try {
      await (await open(lockOf(path), 'wx', 0o600)).close();
      return true;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (READ_ONLY.has(code)) return false;
      if (code !== 'EEXIST') throw error;
    }
    if (Date.now() > until)
      throw new Failure(
        'conflict',
        `another program changes '${path}': where none does, '${lockOf(path)}' was left behind and can be removed`,
      );
    await sleep(LOOK_EVERY_MS);
  }
}

async function write(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  await replaceFile(path, text, mode).catch(unwritable(path));
}

const unwritable = (path: string) => (error: unknown) => {
  throw new Failure('usage', `'${path}' cannot be written: ${errorMessage(error)}`);
};
