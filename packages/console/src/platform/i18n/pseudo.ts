/** Makes the pseudo-language from compiled English: accented, two fifths longer, in marks. Values put in stay as they are. */
import type { Messages } from '@lingui/core';

type Token = Exclude<Messages[string], string>[number];

export const PSEUDO_MARKS = { open: '⟦', close: '⟧' } as const;

const PLAIN = 'aceilnosuyzACEILNOSUYZ';
const ACCENTED = 'áçéîłñöšüýžÀĆÈÎŁÑØŠÛÝŽ';

export function pseudoMessages(messages: Messages): Messages {
  return Object.fromEntries(Object.entries(messages).map(([id, message]) => [id, mark(message)]));
}

function mark(message: Messages[string]): Messages[string] {
  const tokens: Token[] = typeof message === 'string' ? [message] : message;
  const letters = tokens.reduce((sum, token) => sum + (typeof token === 'string' ? token.length : 0), 0);
  return [PSEUDO_MARKS.open, ...tokens.map(accentToken), padding(letters), PSEUDO_MARKS.close];
}

/** In pieces of a word's length, because no language has words that never break. */
function padding(letters: number): string {
  return '~'.repeat(Math.ceil(letters * 0.4)).replaceAll(/~{7}(?=~)/g, '~~~~~~ ');
}

function accentToken(token: Token): Token {
  if (typeof token === 'string') return accent(token);
  const [name, type, format] = token;
  if (typeof format !== 'object' || format === null) return token;
  const choices = Object.entries(format).map(([choice, inner]) => [
    choice,
    Array.isArray(inner) ? inner.map(accentToken) : inner,
  ]);
  return [name, type, Object.fromEntries(choices)];
}

function accent(text: string): string {
  return [...text].map((letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter).join('');
}
