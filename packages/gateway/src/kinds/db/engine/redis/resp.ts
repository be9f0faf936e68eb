/** What Redis and its clients say to each other, as bytes. */
import { DbFailure } from '../db-failure.ts';

/** As the server itself has it: of one word, and of the words of one command. */
export const MAX_WORD_BYTES = 512 * 1024 * 1024;
export const MAX_WORDS = 1024 * 1024;

export function command(...words: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat([commandHead(words.length), ...words.flatMap((each) => wordParts(Buffer.from(each)))]);
}

export function commandHead(count: number): Buffer {
  return Buffer.from(`*${count}\r\n`);
}

export function wordHead(size: number): Buffer {
  return Buffer.from(`$${size}\r\n`);
}

export const WORD_END = Buffer.from('\r\n');

export function wordParts(word: Buffer): readonly Buffer[] {
  return [wordHead(word.length), word, WORD_END];
}

/** `words` begin with the code. An end of line inside would begin another answer. */
export function errorReply(words: string): Buffer {
  return Buffer.from(`-${words.replaceAll(/[\r\n]+/g, ' ')}\r\n`);
}

/** Errors begin with it: `WRONGPASS`, `NOPERM`, `ERR`. */
export function codeOf(error: string): string {
  return /^[A-Z][A-Z0-9_]{0,31}(?= |$)/.exec(error)?.[0] ?? '';
}

export function refusedBy(error: string): DbFailure {
  return new DbFailure('refused', error, { code: codeOf(error) });
}
