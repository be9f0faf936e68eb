/** The terminal that this command runs in: a shell has its keys one by one, and it is as it was afterwards, however this ends. */
import type { ReadStream, WriteStream } from 'node:tty';

export interface LocalStreams {
  stdin: ReadStream;
  stdout: WriteStream;
  stderr: NodeJS.WritableStream;
}

export interface LocalTerminal {
  size(): { cols: number; rows: number };
  onSize(listener: () => void): void;
  /** Keys come as they are pressed, also those that would end this program. */
  takeKeys(listener: (keys: Buffer) => void): void;
  /** Keys wait where they are. */
  pause(): void;
  resume(): void;
  /** `done` when whoever reads it has taken it. */
  write(bytes: Buffer, done: () => void): void;
  /** A line for whoever sits there, beside what the shell says. */
  tell(words: string): void;
  release(): void;
}

const USUAL = { cols: 80, rows: 24 };

export function localTerminal({ stdin, stdout, stderr }: LocalStreams): LocalTerminal {
  let keys: ((keys: Buffer) => void) | undefined;
  let sized: (() => void) | undefined;
  const restore = () => void (stdin.isRaw && stdin.setRawMode(false));
  // Also where something is wrong here that nobody foresaw: a terminal without echo is of no use to anybody.
  process.on('exit', restore);
  return {
    size() {
      const { columns: cols, rows } = stdout.columns ? stdout : process.stderr;
      return cols && rows ? { cols, rows } : USUAL;
    },
    onSize(listener) {
      sized = listener;
      process.on('SIGWINCH', sized);
    },
    takeKeys(listener) {
      keys = listener;
      stdin.setRawMode(true);
      stdin.on('data', keys);
      stdin.resume();
    },
    pause: () => void stdin.pause(),
    resume: () => void (keys && stdin.resume()),
    write: (bytes, done) => void stdout.write(bytes, done),
    // Without a return of the carriage, lines of a raw terminal are a staircase.
    tell: (words) => void stderr.write(keys ? `\r\n[gatehouse: ${words}]\r\n` : `gatehouse: ${words}\n`),
    release() {
      process.off('exit', restore);
      if (sized) process.off('SIGWINCH', sized);
      if (keys) stdin.off('data', keys);
      keys = undefined;
      stdin.pause();
      restore();
    },
  };
}
