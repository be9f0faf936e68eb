/** A terminal without a kernel behind it: tests decide what is printed, when input is taken, and when it ends. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Pty, PtyExit } from '../src/kinds/node/pty/open-pty.ts';

export interface FakePty extends Pty {
  print(text: string | Buffer): void;
  /** All it was given. */
  input(): string;
  /** How many bytes of input it takes from now on; any number by default. */
  takes(count: number): void;
  ends(exit: PtyExit): void;
  sizes: ShellSize[];
  paused: boolean;
  closed: boolean;
  program: string;
}

export function fakePty(onData: (bytes: Buffer) => void): FakePty {
  const exited = Promise.withResolvers<PtyExit>();
  const given: Buffer[] = [];
  let room = Number.POSITIVE_INFINITY;
  const fake: FakePty = {
    pid: 4711,
    device: '/dev/pts/none',
    get isOpen() {
      return !fake.closed;
    },
    exited: exited.promise,
    sizes: [],
    paused: false,
    closed: false,
    program: '',
    pause() {
      fake.paused = true;
    },
    resume() {
      fake.paused = false;
    },
    write(bytes) {
      const part = bytes.subarray(0, Math.min(room, bytes.length));
      room -= part.length;
      given.push(Buffer.from(part));
      return part.length;
    },
    resize: (size) => void fake.sizes.push(size),
    foreground: () => fake.program,
    close() {
      fake.closed = true;
    },
    print: (text) => onData(Buffer.from(text)),
    input: () => Buffer.concat(given).toString(),
    takes(count) {
      room = count;
    },
    ends: (exit) => exited.resolve(exit),
  };
  return fake;
}
