/**
 * Hands ssh2 the first line of the other side whole. It forgets what came in the middle where a name comes in three pieces or more, and
 * of what comes before a name it counts only what came at once: that may go on without end.
 */
import type { Duplex } from 'node:stream';

const IDENT = Buffer.from('SSH-');
const LINE_END = 0x0a;
/** Twice what a name may have, for programs, which say nothing before it. */
const MAX_IDENT_BYTES = 512;

/** Call it before ssh2 takes the stream over. `most` is what may come up to the end of the name. */
export function hearWholeIdent(stream: Duplex, most = MAX_IDENT_BYTES): void {
  const { emit } = stream;
  let held = Buffer.alloc(0);
  stream.emit = function (this: Duplex, event: string | symbol, ...args: unknown[]) {
    if (event !== 'data') return emit.call(this, event, ...args);
    held = Buffer.concat([held, args[0] as Buffer]);
    if (hasIdent(held)) {
      stream.emit = emit;
      return emit.call(this, 'data', held);
    }
    if (held.length > most) {
      held = Buffer.alloc(0);
      stream.destroy(new Error('it did not say what it speaks'));
    }
    return true;
  } as typeof emit;
}

function hasIdent(bytes: Buffer): boolean {
  for (let start = 0; ; ) {
    const end = bytes.indexOf(LINE_END, start);
    if (end === -1) return false;
    if (bytes.subarray(start, start + IDENT.length).equals(IDENT)) return true;
    start = end + 1;
  }
}
