/** What whoever sits there says to this command and not to the shell: a tilde at the beginning of a line, and the letter behind it, as with ssh. */

const TILDE = 0x7e;
const DOT = 0x2e;
const QUESTION = 0x3f;
const CR = 0x0d;
const LF = 0x0a;

export const ESCAPE_HELP = [
  'At the beginning of a line:',
  '  ~.  end the session',
  '  ~?  these words',
  '  ~~  a tilde',
];

export interface Escapes {
  /** What the shell is given of it. Nothing behind `~.` is. */
  read(typed: Uint8Array): Uint8Array;
}

export interface EscapeListeners {
  end(): void;
  help(): void;
}

/** What is pasted or typed ahead comes in one piece, and a tilde and its letter may come in two. */
export function createEscapes({ end, help }: EscapeListeners): Escapes {
  let isAtStart = true;
  let hasTilde = false;
  return {
    read(typed) {
      const passed: number[] = [];
      for (const byte of typed) {
        if (hasTilde) {
          hasTilde = false;
          if (byte === DOT) {
            end();
            return Uint8Array.from(passed);
          }
          if (byte === QUESTION) {
            help();
            continue;
          }
          passed.push(TILDE);
          // The second of two is none of its own.
          isAtStart = false;
          if (byte === TILDE) continue;
        } else if (byte === TILDE && isAtStart) {
          hasTilde = true;
          continue;
        }
        passed.push(byte);
        isAtStart = byte === CR || byte === LF;
      }
      return Uint8Array.from(passed);
    },
  };
}
