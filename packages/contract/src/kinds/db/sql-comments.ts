/** The comments of a text in SQL, as far as one must know what of it does nothing. */
import { type Quoting, tokens } from './sql-tokens.ts';

interface Comment {
  from: number;
  to: number;
  /** Another begins in it: to some servers it ends with the first mark, to others with the last. */
  isNested: boolean;
}

/** What no token has is a comment, or a quote around a name. */
export function* commentsIn(text: string, quoting: Quoting): Generator<Comment> {
  let at = 0;
  for (const { from, to } of tokens(text, quoting)) {
    if (from > at) yield* between(text, { from: at, to: from }, quoting);
    at = to;
  }
  yield* between(text, { from: at, to: text.length }, quoting);
}

function* between(text: string, { from, to }: { from: number; to: number }, { isMysql }: Quoting): Generator<Comment> {
  for (let at = from; at < to; ) {
    if (text.startsWith('/*', at)) {
      const inner = text.indexOf('/*', at + 2);
      const end = text.indexOf('*/', at + 2);
      const isNested = inner >= 0 && inner < to && (end < 0 || inner < end);
      // One that has others in it goes on to the end of all of them.
      const after = isNested || end < 0 ? to : end + 2;
      yield { from: at, to: after, isNested };
      at = after;
    } else if (text.startsWith('--', at) || (isMysql && text[at] === '#')) {
      const end = text.indexOf('\n', at);
      const after = end < 0 || end >= to ? to : end + 1;
      yield { from: at, to: after, isNested: false };
      at = after;
    } else at += 1;
  }
}
