/** What is looked for in lines of a screen: words and quoted texts, all of which must stand in one line. */
import { cutWords } from '../../../platform/storage/event-words.ts';

export interface Term {
  /** As it stands in a line, in lower case. */
  text: string;
  /** The words it is made of, as the index has them. */
  words: readonly string[];
  /** `kube*`: whatever begins so. */
  begins: boolean;
}

/** Begin and length in the line. */
export type Mark = [number, number];

const MAX_TERMS = 16;
const MAX_MARKS = 16;
/** Nearly everything begins with one letter or two. */
const MIN_BEGINNING = 3;
const WORD_SIGN = /[\p{L}\p{N}]/u;

export function readTerms(text: string): Term[] {
  const pieces = [...text.matchAll(/"([^"]*)"?|(\S+)/g)].slice(0, MAX_TERMS);
  return pieces.flatMap(([, quoted, plain]) => {
    const isOpen = plain?.endsWith('*') ?? false;
    const given = quoted ?? (isOpen ? plain?.slice(0, -1) : plain) ?? '';
    const words = cutWords(given);
    if (given.trim() === '') return [];
    return [{ text: given.toLowerCase(), words, begins: isOpen && (words.at(-1)?.length ?? 0) >= MIN_BEGINNING }];
  });
}

/** Undefined: not all of them are in it. */
export function matchTerms(line: string, terms: readonly Term[]): Mark[] | undefined {
  const lower = line.toLowerCase();
  // Where lower case is longer or shorter than what it stands for, places could not be told.
  const places = lower.length === line.length;
  const marks: Mark[] = [];
  let plain: string | undefined;
  for (const { text, begins } of terms) {
    const found = occurrences(lower, text, begins);
    if (found.length > 0) {
      if (places) marks.push(...found);
      continue;
    }
    plain ??= withoutAccents(lower);
    if (occurrences(plain, withoutAccents(text), begins).length === 0) return undefined;
  }
  return marks.sort(([a], [b]) => a - b).slice(0, MAX_MARKS);
}

/** Anywhere, also inside of words: for finding in one recording. */
export function matchText(line: string, text: string): Mark[] {
  const lower = line.toLowerCase();
  const wanted = text.toLowerCase();
  const marks: Mark[] = [];
  if (lower.length !== line.length) return lower.includes(wanted) ? [[0, 0]] : [];
  for (
    let at = lower.indexOf(wanted);
    at >= 0 && marks.length < MAX_MARKS;
    at = lower.indexOf(wanted, at + wanted.length)
  )
    marks.push([at, wanted.length]);
  return marks;
}

function occurrences(line: string, text: string, begins: boolean): Mark[] {
  const found: Mark[] = [];
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const end = at + text.length;
    const startsInside = WORD_SIGN.test(text[0] ?? '') && WORD_SIGN.test(line[at - 1] ?? '');
    const endsInside = !begins && WORD_SIGN.test(text.at(-1) ?? '') && WORD_SIGN.test(line[end] ?? '');
    if (!startsInside && !endsInside) found.push([at, text.length]);
    if (found.length >= MAX_MARKS) break;
  }
  return found;
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
}
