/** A program in a container of the small cluster: a real process of this machine, on a terminal or on pipes. */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Readable, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';

const TRY_AGAIN_MS = 5;

export interface KubeProcess {
  stdin: Writable;
  stdout: Readable;
  /** A terminal has none. */
  stderr: Readable | undefined;
  resize(columns: number, rows: number): void;
  /** After the last byte of output. A program that was ended by signal N has 128 + N. */
  exited: Promise<number>;
  kill(): void;
}

export interface ProcessOptions {
  command: readonly string[];
  folder: string;
  env: Readonly<Record<string, string>>;
  tty: boolean;
}

/** As that package declares it for its own use. */
interface NativePty {
  fork(
    file: string,
    args: string[],
    environment: string[],
    folder: string,
    columns: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helper: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number };
  resize(fd: number, columns: number, rows: number): void;
}

/** Rejects where there is no such program. */
export async function startProcess(options: ProcessOptions): Promise<KubeProcess> {
  const path = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const env = { ...path, HOME: options.folder, ...(options.tty ? { TERM: 'xterm' } : {}), ...options.env };
  return options.tty ? onTerminal({ ...options, env }) : await onPipes({ ...options, env });
}

async function onPipes({ command: [file = '', ...args], folder, env }: ProcessOptions): Promise<KubeProcess> {
  const child = spawn(file, args, { cwd: folder, env, detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.stdin.on('error', () => {});
  const exited = new Promise<number>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    resize: () => {},
    exited,
    kill: () => killGroup(child.pid),
  };
}

function onTerminal({ command: [file = '', ...args], folder, env }: ProcessOptions): KubeProcess {
  const native = createRequire(import.meta.url)(
    `@lydell/node-pty-${process.platform}-${process.arch}/pty.node`,
  ) as NativePty;
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const ended = Promise.withResolvers<number>();
  const onExit = (code: number, signal: number) => ended.resolve(signal === 0 ? code : 128 + signal);
  const { fd, pid } = native.fork(file, args, pairs, folder, 80, 24, -1, -1, true, '', onExit);
  const stdout = new ReadStream(fd);
  // Linux says EIO when the last program that has the terminal open is gone, after everything was read.
  stdout.on('error', () => stdout.destroy());
  const closed = new Promise<void>((resolve) => stdout.once('close', () => resolve()));
  const stdin = new Writable({
    write(bytes: Buffer, _, done) {
      const go = (at: number) => {
        if (stdout.destroyed) return done();
        const left = bytes.subarray(at);
        let taken = 0;
        try {
          taken = writeSync(fd, left);
        } catch (error) {
          // A full terminal takes nothing now; one that is gone takes everything.
          if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return done();
        }
        if (taken === left.length) done();
        else setTimeout(() => go(at + taken), TRY_AGAIN_MS);
      };
      go(0);
    },
  });
  return {
    stdin,
    stdout,
    stderr: undefined,
    resize: (columns, rows) => {
      if (!stdout.destroyed) native.resize(fd, columns, rows);
    },
    exited: ended.promise.then(async (code) => {
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 200).unref())]);
      return code;
    }),
    kill: () => killGroup(pid),
  };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
