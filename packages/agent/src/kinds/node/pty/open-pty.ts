/** A terminal with a program in it: bytes out that can be made to wait, bytes in that never make us wait, one end. */
import { readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { ReadStream } from 'node:tty';
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Launch } from '../login/launch.ts';
import type { NativePty } from './native-pty.ts';

/** After the program's end others may still hold its terminal, silently and for ever: a job left in the background. */
const SILENT_MS = 200;
/** The kernel gives less than 4 KiB at a time. */
const READ_BYTES = 4096;
/**
 * Read in one turn of the event loop: each turn costs several times as much as a read, and while we are at other work the program
 * waits. What is never printed takes no memory.
 */
const TOGETHER_BYTES = 256 * 1024;
/** A read that gives less has emptied the terminal; one more would only fail. */
const LIKELY_MORE_BYTES = 2048;

export interface PtyExit {
  code?: number;
  signal?: string;
}

export interface Pty {
  readonly pid: number;
  /** `/dev/pts/3` */
  readonly device: string;
  /** Once it is closed, its number may be another's. */
  readonly isOpen: boolean;
  /** Resolves after the last byte of output; while paused it waits. */
  readonly exited: Promise<PtyExit>;
  pause(): void;
  resume(): void;
  /** How many bytes the terminal took: none while the program does not read. */
  write(bytes: Uint8Array): number;
  resize(size: ShellSize): void;
  /** What runs in the foreground; empty when that cannot be told. */
  foreground(): string;
  /** Gives the terminal up at once, whatever is still in it. */
  close(): void;
}

export interface PtyOptions {
  native: NativePty;
  launch: Launch;
  size: ShellSize;
  /** The bytes are its own only until it returns. */
  onData: (bytes: Buffer) => void;
}

export function openPty({ native, launch, size, onData }: PtyOptions): Pty {
  const { file, args, env, cwd } = launch;
  const exited = Promise.withResolvers<PtyExit>();
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const ended = Promise.withResolvers<PtyExit>();
  const onExit = (code: number, signal: number) => ended.resolve(signal === 0 ? { code } : { signal: nameOf(signal) });
  const { fd, pid, pty } = native.fork(file, args, pairs, cwd, size.cols, size.rows, -1, -1, true, '', onExit);

  let heardAt = performance.now();
  // One buffer for all reads: Node's own, 64 KiB for each 4 of a terminal, keep its garbage collector busy.
  const buffer = Buffer.allocUnsafeSlow(TOGETHER_BYTES);
  const onread = {
    buffer,
    callback(count: number) {
      heardAt = performance.now();
      onData(buffer.subarray(0, count + readMore(fd, buffer, count)));
      return true;
    },
  };
  const terminal = new ReadStream(fd, { onread });
  terminal.resume();
  // The last program that has the terminal open is gone: Linux says EIO, after everything was read.
  terminal.on('error', () => terminal.destroy());
  const closed = new Promise<void>((resolve) => terminal.once('close', () => resolve()));

  void ended.promise.then(async (exit) => {
    heardAt = performance.now();
    const watch = setInterval(() => {
      if (!terminal.isPaused() && performance.now() - heardAt >= SILENT_MS) terminal.destroy();
    }, SILENT_MS / 4);
    await closed;
    clearInterval(watch);
    exited.resolve(exit);
  });

  return {
    pid,
    device: pty,
    get isOpen() {
      return !terminal.destroyed;
    },
    exited: exited.promise,
    pause: () => void terminal.pause(),
    resume: () => void terminal.resume(),
    write(bytes) {
      // Its number may already be that of another file.
      if (terminal.destroyed) return bytes.length;
      return writeSome(fd, bytes);
    },
    resize({ cols, rows }) {
      if (!terminal.destroyed) native.resize(fd, cols, rows);
    },
    foreground: () => (terminal.destroyed ? '' : (native.process(fd, pty) ?? '')),
    close: () => void terminal.destroy(),
  };
}

/** Behind the first `count` bytes of `buffer`, as long as there is more. How it ended the terminal's own stream finds out. */
function readMore(fd: number, buffer: Buffer, count: number): number {
  let end = count;
  for (let last = count; last >= LIKELY_MORE_BYTES && end + READ_BYTES <= buffer.length; end += last) {
    try {
      last = readSync(fd, buffer, end, READ_BYTES, null);
    } catch {
      break;
    }
  }
  return end - count;
}

/** The descriptor does not block: a full terminal answers EAGAIN. One whose programs are gone takes everything. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? 0 : bytes.length;
  }
}

function nameOf(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
}
