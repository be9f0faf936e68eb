/**
 * Starts the program that serves files, as a user. Root starts it and it gives that up itself, before the first byte: our
 * programs may lie where the user cannot read them.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { type Person, userEnvironment } from '../../../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';

const START_MS = 15_000;
/** For what was asked for before the end: a write to a slow disk. */
const END_MS = 5_000;
const MAX_WORDS = 2_000;
const READY = 'ready';

export interface FilesProcess {
  pid: number | undefined;
  input: Writable;
  output: Readable;
  /** Resolves when it has ended and all its output was taken: with why it failed, or with nothing. */
  ended: Promise<string | undefined>;
  /** Takes its input away, and later its life. */
  end(): void;
}

export interface FilesLaunch {
  person: Person;
  closer: WithoutDescriptors;
  language: string;
  signal: AbortSignal;
}

/** Resolves once it is the user's and serves; rejects with its own words otherwise. */
export async function startFilesProcess({ person, closer, language, signal }: FilesLaunch): Promise<FilesProcess> {
  const { file, args } = closer(process.execPath, [filesProgram(), '--say-ready', ...asUser(person)]);
  // A session of its own: whoever shares a terminal with root can type into it.
  const child = spawn(file, args, {
    env: userEnvironment(person, language),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { stdin, stdout, stderr, pid } = child;
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
  const words = lastWords(stderr);
  const ended = endOf(child, words);
  const end = () => {
    stdin.destroy();
    stdout.destroy();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
    child.once('exit', () => clearTimeout(timer));
  };
  try {
    await Promise.race([
      words.ready,
      ended.then((reason) => Promise.reject(new Error(reason ?? 'it ended at once'))),
      aborted(AbortSignal.any([signal, AbortSignal.timeout(START_MS)])),
    ]);
  } catch (error) {
    end();
    child.kill('SIGKILL');
    throw error;
  }
  return { pid, input: stdin, output: stdout, ended, end };
}

/** An agent that is not root serves its own user alone, and has nothing to give up. */
function asUser({ name, uid, gid }: Person): string[] {
  return process.getuid?.() === 0 ? ['--as', name, String(uid), String(gid)] : [];
}

/** Beside this file, as a source or as a bundle. */
function filesProgram(): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./sftp-server.${ending}`, import.meta.url));
}

interface Words {
  ready: Promise<void>;
  last(): string;
}

function lastWords(stderr: Readable): Words {
  const ready = Promise.withResolvers<void>();
  let text = '';
  stderr.on('data', (piece: Buffer) => {
    text = (text + piece.toString()).slice(-MAX_WORDS);
    if (text.split('\n').includes(READY)) ready.resolve();
  });
  const lines = () => text.split('\n').filter((line) => line !== '' && line !== READY);
  return { ready: ready.promise, last: () => lines().at(-1) ?? '' };
}

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>, words: Words): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : words.last() || `it ended with ${signal ?? code}`);
    });
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    whenAborted(signal, () => reject(new Error(signal.reason instanceof Error ? signal.reason.message : 'given up')));
  });
}
