/** The parts a predicate is made of, each with its place, so that a mistake can be pointed at. */

const MAX_PARTS = 400;

export type FilterToken = { type: 'word' | 'text' | 'sign' | 'end'; value: string; at: number };

/** What cannot be read, and where: the character, counted from 1. */
export class FilterError extends Error {
  override name = 'FilterError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export function filterTokens(text: string): FilterToken[] {
  const found: FilterToken[] = [];
  const matcher = /([A-Za-z_][\w-]*)|"((?:[^"\\]|\\.)*)"|(&&|\|\||==|!=|[!()[\],.])/gy;
  const blank = /\s*/gy;
  for (let at = 0; ; ) {
    blank.lastIndex = at;
    at += blank.exec(text)![0].length;
    if (at >= text.length) {
      found.push({ type: 'end', value: 'the end', at });
      return found;
    }
    matcher.lastIndex = at;
    const match = matcher.exec(text);
    if (!match) throw unreadable(text, at);
    const [whole, word, quoted, sign] = match;
    if (word !== undefined) found.push({ type: 'word', value: word, at });
    else if (quoted !== undefined) found.push({ type: 'text', value: textOf(whole, at), at });
    else found.push({ type: 'sign', value: sign ?? '', at });
    if (found.length > MAX_PARTS) throw new FilterError(`has more than ${MAX_PARTS} parts`, at + 1);
    at += whole.length;
  }
}

function unreadable(text: string, at: number): FilterError {
  if (text[at] === '"') return new FilterError(`has a text without its closing quote at character ${at + 1}`, at + 1);
  const rest = text.slice(at, at + 20);
  const hint = /^'/.test(rest) ? '; texts stand in double quotes' : '';
  return new FilterError(`cannot be read at character ${at + 1}: ${rest}${hint}`, at + 1);
}

function textOf(quoted: string, at: number): string {
  const text = jsonText(quoted);
  if (text !== undefined && !text.includes('\0')) return text;
  throw new FilterError(`has a text with a character or backslash that cannot stand in one at ${at + 1}`, at + 1);
}

function jsonText(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

export class FilterReader {
  readonly #tokens: readonly FilterToken[];
  #at = 0;

  constructor(tokens: readonly FilterToken[]) {
    this.#tokens = tokens;
  }

  peek(): FilterToken {
    return this.#tokens[this.#at]!;
  }

  take(): FilterToken {
    const token = this.peek();
    if (token.type !== 'end') this.#at += 1;
    return token;
  }

  takeSign(sign: string): boolean {
    const { type, value } = this.peek();
    if (type !== 'sign' || value !== sign) return false;
    this.#at += 1;
    return true;
  }

  expectSign(sign: string): void {
    if (!this.takeSign(sign)) throw misplaced(this.peek(), sign);
  }

  expect(type: FilterToken['type'], wanted: string): FilterToken {
    const token = this.take();
    if (token.type === type) return token;
    throw misplaced(token, wanted);
  }
}

export function misplaced({ type, value, at }: FilterToken, wanted: string): FilterError {
  const found = type === 'end' ? 'ends' : `has '${value}'`;
  return new FilterError(`${found} at character ${at + 1} where ${wanted} should stand`, at + 1);
}
