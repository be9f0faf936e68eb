/** Text from elsewhere as a reviewer may safely read it: nothing in it steers the page or a terminal, and none of it is endless. */

/** Controls, escapes, marks that turn the direction of text, what is invisible, halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Marks piled on one letter grow over the neighbouring rows; real writing needs no more than these. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

const SHORT_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** On one line, with what cannot be seen written as an escape, and cut before anything looks at the whole of it. */
export function visibleText(text: string, maxLength: number): string {
  return cutText(text, maxLength).replace(HIDDEN, escaped).replace(PILED_MARKS, '$1');
}

/** At most so many units, the last of them an ellipsis where something is missing; never half a character. */
export function cutText(text: string, maxLength: number, ellipsis = '…'): string {
  if (text.length <= maxLength) return text;
  const end = maxLength - ellipsis.length;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return text.slice(0, splitsPair ? end - 1 : end) + ellipsis;
}

export const QUERY_TEXT_LENGTH = 80;
/** Long enough that 80 characters are left when its white space is folded. */
const QUERY_READ_LENGTH = 4_000;

/** A query or command on one line of at most 80 characters, three of them dots where it goes on. */
export function queryText(text: string): string {
  const folded = text.slice(0, QUERY_READ_LENGTH).replace(/\s+/g, ' ').trim();
  return cutText(folded, QUERY_TEXT_LENGTH, '...');
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return (
    SHORT_ESCAPES[character] ??
    (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`)
  );
}
