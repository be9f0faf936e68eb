/** How large the program of a regular expression becomes, told from its text: counted repetitions are written out, and writing them out is what must not happen. */

const COUNTED = /\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y;
const CODE_POINT = /[xpP]\{[^}]*\}/y;
const NAMED_CLASS = /\[:\^?\w+:\]/y;

interface Group {
  size: number;
  /** Of what a repetition would repeat. */
  last: number;
}

/** Never much less than it really is; more where a part stands for nothing. Text that is no expression gets a number as well. */
export function expressionSize(text: string): number {
  const outer: Group[] = [];
  let group: Group = { size: 0, last: 0 };
  const add = (size: number) => {
    group.size += size;
    group.last = size;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') {
      const end = escapeEnd(text, at);
      add(text[at + 1] === 'Q' ? end - at : 1);
      at = end - 1;
    } else if (character === '[') {
      at = classEnd(text, at);
      add(1);
    } else if (character === '(') {
      outer.push(group);
      group = { size: 2, last: 0 };
    } else if (character === ')') {
      const { size } = group;
      group = outer.pop() ?? { size: 0, last: 0 };
      add(size);
    } else if (character === '{') {
      const counted = found(COUNTED, text, at);
      if (counted) {
        const repeated = group.last * Math.max(0, timesOf(counted) - 1);
        group.size += repeated;
        group.last += repeated;
        at += counted[0].length - 1;
      } else add(1);
    } else if (character === '*' || character === '+' || character === '?') {
      group.size += 1;
      group.last += 1;
    } else add(1);
  }
  return outer.reduce((sum, { size }) => sum + size, group.size);
}

function timesOf([, least = '0', comma, most = '']: RegExpExecArray): number {
  if (comma === undefined) return Number(least);
  return most === '' ? Number(least) + 1 : Number(most);
}

function found(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
}

/** Behind what a backslash begins. */
function escapeEnd(text: string, at: number): number {
  if (text[at + 1] !== 'Q') return at + 1 + (found(CODE_POINT, text, at + 1)?.[0].length ?? 1);
  const end = text.indexOf('\\E', at + 2);
  return end < 0 ? text.length : end + 2;
}

/** At the bracket that closes a class. */
function classEnd(text: string, from: number): number {
  let at = from + (text[from + 1] === '^' ? 2 : 1);
  // The first one does not close it.
  if (text[at] === ']') at += 1;
  while (at < text.length && text[at] !== ']') {
    const named = found(NAMED_CLASS, text, at);
    at += named ? named[0].length : text[at] === '\\' ? 2 : 1;
  }
  return at;
}
