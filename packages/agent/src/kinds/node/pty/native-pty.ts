/**
 * The compiled half of @lydell/node-pty, without its JavaScript half, which cannot be used here: its `write` spins in a busy
 * loop, stopping the whole agent, while a program does not read its input; and 200 ms after a program's end it throws away
 * what has not been read, also when we asked it to wait.
 */
import { createRequire } from 'node:module';

/** As that package declares it for its own use; its version is pinned, and tests hold it to this. */
export interface NativePty {
  /** Not closed on exec: see runtime/children/without-descriptors.ts. Throws when no terminal can be had. */
  fork(
    file: string,
    args: string[],
    environment: string[],
    folder: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helper: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
  /** Name of the program in the foreground, as it calls itself. */
  process(fd: number, device: string): string | undefined;
}

export function loadNativePty(): NativePty {
  return createRequire(import.meta.url)(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
}
