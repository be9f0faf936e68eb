/** Text that is read to decide about it, in the order it has: letters that are written from right to left turn round no digits or signs beside them. */
import type { ReactNode } from 'react';

/** The blocks that Unicode keeps for them, also those of which nothing is assigned yet. */
const TURNED =
  '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}][^\\u0000-\\u007f]*';
const WORDS = new RegExp(TURNED, 'gu');
/** As they are read, where their order changes nothing of what runs: with plain spaces alone between them. */
const PHRASES = new RegExp(`${TURNED}(?: ${TURNED})*`, 'gu');

export function isolated(text: string, what: 'words' | 'phrases' = 'words'): ReactNode {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { 0: piece, index } of text.matchAll(what === 'words' ? WORDS : PHRASES)) {
    if (index > at) pieces.push(text.slice(at, index));
    pieces.push(<bdi key={index}>{piece}</bdi>);
    at = index + piece.length;
  }
  if (at === 0) return text;
  return at < text.length ? [...pieces, text.slice(at)] : pieces;
}

/** The same for where nothing but characters can be, such as a title. */
export function isolatedPlain(text: string): string {
  return text.replace(WORDS, '\u2068$&\u2069');
}
