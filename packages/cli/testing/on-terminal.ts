/** A program in a real terminal, for tests: what is typed, what is shown, its size, and whether it is left as it was. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shellQuoted } from '../src/output/shell-quoted.ts';

const execute = promisify(execFile);
const WAIT_MS = 60_000;
/** Where something is waited for: looking at all of it each time would keep the test from reading. */
const TAIL_CHARACTERS = 400_000;

export interface OnTerminal {
  child: ChildProcess;
  type(text: string): void;
  /** Everything that was shown. */
  shown(): string;
  /** What the program wrote beside it. */
  told(): string;
  until(pattern: RegExp): Promise<void>;
  untilTold(pattern: RegExp): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  /** Of the program itself. */
  pid(): number;
  /** Its exit code, and the modes that the terminal has then. */
  ended(): Promise<{ code: number; modes: string[] }>;
}

export interface TerminalStart {
  env: NodeJS.ProcessEnv;
  /** Where files of this run may lie. */
  folder: string;
  cwd?: string;
  /** What it writes beside is shown as well: it asks only where somebody sees that. */
  showsAll?: boolean;
}

let runs = 0;

export function startOnTerminal(args: readonly string[], { env, folder, cwd, showsAll }: TerminalStart): OnTerminal {
  runs += 1;
  const told = join(folder, `told-${runs}`);
  const program = args.map(shellQuoted).join(' ');
  const line = [
    'stty cols 100 rows 30; echo "<$(tty)>"',
    // The program takes the place of the inner shell, whose number is told before.
    `sh -c 'echo "<pid $$>"; exec "$@"' sh ${program}${showsAll ? '' : ` 2>${shellQuoted(told)}`}`,
    'echo "<code $?>"; stty -a | tr " ;" "\\n\\n" | grep -xE -- "-?(icanon|echo|isig)" | tr "\\n" " "; echo "<over>"',
  ].join('; ');
  const child = spawn('script', ['-qfec', line, '/dev/null'], { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  let tail = '';
  let wake = () => {};
  child.stdout.on('data', (piece: Buffer) => {
    pieces.push(piece);
    tail = `${tail}${piece}`.slice(-TAIL_CHARACTERS);
    wake();
  });
  child.stdin.on('error', () => {});
  const shown = () => Buffer.concat(pieces).toString();
  const wait = async <T>(look: () => T | undefined | null, what: string): Promise<T> => {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const found = look();
      if (found !== undefined && found !== null) return found;
      if (performance.now() > deadline)
        throw new Error(`no ${what} in ${JSON.stringify(tail.slice(-1_000))}, told ${readTold()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const readTold = () => {
    try {
      return readFileSync(told, 'utf8');
    } catch {
      return '';
    }
  };
  const found = (pattern: RegExp) => pattern.exec(shown().slice(0, 2_000))?.[1];
  return {
    child,
    type: (text) => void child.stdin.write(text),
    shown,
    told: readTold,
    until: async (pattern) => void (await wait(() => pattern.exec(tail), String(pattern))),
    untilTold: async (pattern) => void (await wait(() => pattern.exec(readTold()), String(pattern))),
    async resize(cols, rows) {
      await execute('stty', ['-F', found(/<(\/dev\/\S+)>/) ?? '', 'cols', String(cols), 'rows', String(rows)]);
    },
    pid: () => Number(found(/<pid (\d+)>/)),
    async ended() {
      const [, code, modes = ''] = await wait(() => /<code (\d+)>\s+([^<]*)<over>/.exec(tail), 'end');
      child.stdin.end();
      return { code: Number(code), modes: modes.trim().split(/\s+/) };
    },
  };
}
