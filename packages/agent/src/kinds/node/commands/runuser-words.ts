/**
 * `runuser` waits for a command in our place. Of one that a signal ended it says so in a last line on standard error and exits
 * with 128 and the signal's number, which a command may also do by itself. The two together tell the one from the other.
 */
import { constants } from 'node:os';
import type { ExecExit } from '@gatehouse/contract/reach/agents/exec-frames';

/** As strsignal(3) writes them without a language. */
const WORDS: Readonly<Record<string, keyof typeof constants.signals>> = {
  Hangup: 'SIGHUP',
  Interrupt: 'SIGINT',
  Quit: 'SIGQUIT',
  'Illegal instruction': 'SIGILL',
  'Trace/breakpoint trap': 'SIGTRAP',
  Aborted: 'SIGABRT',
  'Bus error': 'SIGBUS',
  'Floating point exception': 'SIGFPE',
  'Arithmetic exception': 'SIGFPE',
  Killed: 'SIGKILL',
  'User defined signal 1': 'SIGUSR1',
  'Segmentation fault': 'SIGSEGV',
  'User defined signal 2': 'SIGUSR2',
  'Broken pipe': 'SIGPIPE',
  'Alarm clock': 'SIGALRM',
  Terminated: 'SIGTERM',
  'CPU time limit exceeded': 'SIGXCPU',
  'File size limit exceeded': 'SIGXFSZ',
  'Bad system call': 'SIGSYS',
};
const CORE = ' (core dumped)';
const LAST_LINE = new RegExp(`(?:^|[\\s\\S])(${Object.keys(WORDS).join('|')})( \\(core dumped\\))?\\n$`);
const MAX_WORD = Math.max(...Object.keys(WORDS).map((word) => word.length)) + CORE.length + 2;

export class RunuserWords {
  #held = Buffer.alloc(0);

  /** What can go on; a line that could be the last one is held back until more comes. */
  push(bytes: Buffer): Buffer {
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes;
    const length = lastLine(all)?.length ?? 0;
    this.#held = Buffer.from(all.subarray(all.length - length));
    return all.subarray(0, all.length - length);
  }

  /** Gives back what is held: it was the command's own. */
  release(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** How the command ended, going by how `runuser` did. Nothing is held any more where its line was the last one. */
  exitOf(code: number): ExecExit {
    const line = lastLine(this.#held);
    if (!line || constants.signals[line.signal] + 128 !== code) return { code };
    this.#held = Buffer.alloc(0);
    return { signal: line.signal.slice('SIG'.length), core: line.core };
  }
}

/** It may stand right behind what the command printed last, which need not have ended its line. */
function lastLine(bytes: Buffer) {
  const tail = bytes.subarray(-MAX_WORD).toString('latin1');
  const [, words = '', core] = LAST_LINE.exec(tail) ?? [];
  const signal = WORDS[words];
  if (!signal) return undefined;
  return { signal, core: core !== undefined, length: words.length + (core?.length ?? 0) + 1 };
}
