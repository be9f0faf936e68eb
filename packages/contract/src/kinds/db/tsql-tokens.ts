/** Takes a batch of T-SQL apart, as far as one must to know what is inside quotes and what is not. */
import type { Token } from './sql-token.ts';

const WORD = /[\p{L}_@#][\p{L}\p{N}_@#$]*/uy;
/** What follows one may stand right behind it: `0x0use x`, `1e0update`. */
const NUMBER = /0x[0-9a-f]*|(?:\d+(?:\.\d*)?|\.\d+)(?:e(?:[+-]?\d+)?)?/iy;
const [ZERO, NINE] = [0x30, 0x39];
export const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };

/** Texts between `"` are names or texts, as the session has it: either way nothing in them is run. */
export function* tsqlTokens(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    const from = at;
    const character = text[at] as string;
    // Two characters are looked at together, and patterns asked, where they can begin something: batches have megabytes.
    const two = character === '-' || character === '/' ? text.slice(at, at + 2) : '';
    if (two === '--') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
      continue;
    }
    if (two === '/*') {
      at = afterComment(text, at);
      continue;
    }
    const closing = CLOSING[character];
    if (closing !== undefined) {
      at = afterQuoted(text, at, closing);
      if (character === '[') yield { what: 'word', from, to: at };
      else yield { what: 'text', from, to: at };
      continue;
    }
    const code = text.charCodeAt(at);
    const number = (code >= ZERO && code <= NINE) || character === '.' ? matchAt(NUMBER, text, at) : undefined;
    if (number !== undefined) {
      at += number.length;
      // Whether `1exec` is `1e` and a name or `1` and `exec`, either is looked at.
      const other = /^[\d.]+e$/i.test(number) ? matchAt(WORD, text, at - 1) : undefined;
      yield { what: 'other', from, to: at };
      if (other !== undefined) yield { what: 'word', from: at - 1, to: at - 1 + other.length };
      continue;
    }
    const isWord = mayBeginWord(code) || character === '@' || character === '#';
    const word = isWord ? matchAt(WORD, text, at) : undefined;
    at += word?.length ?? 1;
    // The letter before a text belongs to it.
    if (word !== undefined && !(/^n$/i.test(word) && text[at] === "'")) yield { what: 'word', from, to: at };
    else if (word === undefined && !/\s/.test(character))
      yield { what: character === ';' ? 'end' : 'other', from, to: at };
  }
}

/** A letter, an underscore, or anything beyond ASCII: which of those are letters, patterns know. */
export function mayBeginWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code > 0x7f;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** They stand inside each other. */
function afterComment(text: string, from: number): number {
  let depth = 1;
  let at = from + 2;
  while (at < text.length && depth > 0) {
    const isOpened = text[at] === '/' && text[at + 1] === '*';
    const isClosed = text[at] === '*' && text[at + 1] === '/';
    if (isOpened) depth += 1;
    else if (isClosed) depth -= 1;
    at += isOpened || isClosed ? 2 : 1;
  }
  return at;
}

export function afterQuoted(text: string, from: number, closing: string): number {
  for (let at = from + 1; at < text.length; ) {
    if (text[at] !== closing) at += 1;
    else if (text[at + 1] === closing) at += 2;
    else return at + 1;
  }
  return text.length;
}
