/** Reads a `where` condition: comparisons joined by `&&`, `||` and `!`. It cannot compute, loop or call out. */
import { nearest } from '../../std/nearest.ts';
import { FACT_SYNONYMS, FACTS, type FactName, type Operand, type Where } from './where-expression.ts';

export class WhereError extends Error {
  override name = 'WhereError';
}

const MAX_CHARACTERS = 4096;
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const FUNCTIONS = ['equals', 'contains', 'has_prefix', 'exists'] as const;
const FUNCTION_SYNONYMS: Readonly<Record<string, (typeof FUNCTIONS)[number]>> = { hasPrefix: 'has_prefix' };

type Token = { type: 'word' | 'text' | 'sign' | 'end'; value: string; at: number };

export function parseWhere(text: string): Where {
  if (text.length > MAX_CHARACTERS) throw new WhereError(`must have at most ${MAX_CHARACTERS} characters`);
  const reader = new Reader(tokens(text));
  const where = readOr(reader, 0);
  reader.expect('end');
  return where;
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  const matcher = /\s*(?:([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|"((?:[^"\\]|\\["\\])*)"|(&&|\|\||==|!=|[!()[\],]))/gy;
  let at = 0;
  while (at < text.length && text.slice(at).trim() !== '') {
    matcher.lastIndex = at;
    const match = matcher.exec(text);
    if (!match) throw new WhereError(`cannot be read at character ${at + 1}: '${text.slice(at).trim().slice(0, 20)}'`);
    const [whole, word, quoted, sign] = match;
    if (word !== undefined) found.push({ type: 'word', value: word, at });
    else if (quoted !== undefined) found.push({ type: 'text', value: quoted.replaceAll(/\\(["\\])/g, '$1'), at });
    else found.push({ type: 'sign', value: sign ?? '', at });
    if (found.length > MAX_PARTS) throw new WhereError(`must have at most ${MAX_PARTS} parts`);
    at += whole.length;
  }
  found.push({ type: 'end', value: 'the end', at });
  return found;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#tokens[this.#at]!;
  }

  take(): Token {
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

  expect(type: Token['type'], value?: string): Token {
    const token = this.take();
    if (token.type === type && (value === undefined || token.value === value)) return token;
    throw new WhereError(`has '${token.value}' at character ${token.at + 1} where ${value ?? type} should stand`);
  }
}

function readOr(reader: Reader, depth: number): Where {
  if (depth > MAX_DEPTH) throw new WhereError('is nested too deeply');
  const of = [readAnd(reader, depth)];
  while (reader.takeSign('||')) of.push(readAnd(reader, depth));
  return of.length === 1 ? of[0]! : { type: 'or', of };
}

function readAnd(reader: Reader, depth: number): Where {
  const of = [readNot(reader, depth)];
  while (reader.takeSign('&&')) of.push(readNot(reader, depth));
  return of.length === 1 ? of[0]! : { type: 'and', of };
}

function readNot(reader: Reader, depth: number): Where {
  if (depth > MAX_DEPTH) throw new WhereError('is nested too deeply');
  if (reader.takeSign('!')) return { type: 'not', of: readNot(reader, depth + 1) };
  if (reader.takeSign('(')) {
    const inner = readOr(reader, depth + 1);
    reader.expect('sign', ')');
    return inner;
  }
  return readComparison(reader);
}

function readComparison(reader: Reader): Where {
  const token = reader.peek();
  const name = FUNCTION_SYNONYMS[token.value] ?? FUNCTIONS.find((known) => known === token.value);
  if (token.type === 'word' && name) return readFunction(reader, name);
  if (token.type === 'word' && (token.value === 'true' || token.value === 'false')) {
    reader.take();
    return { type: 'constant', value: token.value === 'true' };
  }
  const left = readOperand(reader);
  if (reader.takeSign('==')) return { type: 'equals', left, right: readOperand(reader) };
  if (reader.takeSign('!=')) return { type: 'not', of: { type: 'equals', left, right: readOperand(reader) } };
  const next = reader.peek();
  throw new WhereError(`has '${next.value}' at character ${next.at + 1} where == or != should stand`);
}

function readFunction(reader: Reader, name: (typeof FUNCTIONS)[number]): Where {
  reader.take();
  reader.expect('sign', '(');
  const left = readOperand(reader);
  if (name === 'exists') {
    reader.expect('sign', ')');
    return { type: 'exists', left };
  }
  reader.expect('sign', ',');
  const right = readOperand(reader);
  reader.expect('sign', ')');
  return { type: name, left, right };
}

function readOperand(reader: Reader): Operand {
  const token = reader.take();
  if (token.type === 'text') return { type: 'values', values: [token.value] };
  if (token.type !== 'word')
    throw new WhereError(`has '${token.value}' at character ${token.at + 1} where a value should stand`);
  if (reader.peek().value === '(') throw new WhereError(unknown(token.value, FUNCTIONS, 'function'));
  return readFact(reader, token.value);
}

function readFact(reader: Reader, word: string): Operand {
  const whole = factNamed(word);
  if (whole) {
    if (FACTS[whole] === 'plain') return { type: 'fact', name: whole };
    if (!reader.takeSign('[')) throw new WhereError(`has '${word}' without a key: write ${word}["key"]`);
    const key = reader.expect('text').value;
    reader.expect('sign', ']');
    return { type: 'fact', name: whole, key };
  }
  const dot = word.lastIndexOf('.');
  const parent = factNamed(word.slice(0, dot));
  if (dot > 0 && parent && FACTS[parent] === 'keyed') return { type: 'fact', name: parent, key: word.slice(dot + 1) };
  throw new WhereError(
    unknown(word, [...Object.keys(FACTS), ...Object.keys(FACT_SYNONYMS)], 'thing a condition can ask about'),
  );
}

function factNamed(word: string): FactName | undefined {
  if (Object.hasOwn(FACTS, word)) return word as FactName;
  return FACT_SYNONYMS[word];
}

function unknown(word: string, known: readonly string[], what: string): string {
  const close = nearest(word, known);
  return `has '${word}', which is not a ${what}; ${close ? `did you mean '${close}'?` : `there is ${known.join(', ')}`}`;
}
