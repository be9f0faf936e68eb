/** The predicate language of lists as a small tree: comparisons joined by `&&`, `||` and `!`. It cannot compute, loop or call out. */
import { FilterError, FilterReader, type FilterToken, filterTokens, misplaced } from './filter-tokens.ts';
import { readLogic } from './read-logic.ts';

export type Filter =
  | { type: 'and' | 'or'; of: readonly Filter[] }
  | { type: 'not'; of: Filter }
  | { type: 'equals'; left: Operand; right: Operand }
  | { type: 'exists'; of: Operand }
  /** Every word must be found in something that is searched; in lower case. */
  | { type: 'search'; words: readonly string[] };

export type Operand =
  | { type: 'text'; text: string }
  /** What it is shown by. */
  | { type: 'name' }
  | { type: 'label'; key: string }
  /** Below `resource`; a text there, anything else counts as missing. */
  | { type: 'path'; path: readonly string[] };

const MAX_WORDS = 32;
const MAX_PATH = 10;
const WORD = /^[A-Za-z_][\w-]*$/;
const FUNCTIONS = ['equals', 'search', 'exists'] as const;

export function parseFilter(text: string): Filter {
  return readLogic(new FilterReader(filterTokens(text)), readComparison);
}

/** Words and "phrases" of a search, in lower case. All of them must be found. */
export function parseSearch(text: string): string[] {
  const words: string[] = [];
  for (const [whole, phrase] of text.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const word = searchText(phrase ?? whole);
    if (word.trim() !== '' && !words.includes(word)) words.push(word);
  }
  if (words.length > MAX_WORDS) throw new FilterError(`has more than ${MAX_WORDS} words`, 1);
  return words;
}

/** How texts are written where words are looked for: a word with a line break must not be found across two texts. */
export function searchText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').toLowerCase();
}

/** The predicate that holds for what has this label. */
export function labelFilter(key: string, value: string): string {
  return `labels[${JSON.stringify(key)}] == ${JSON.stringify(value)}`;
}

function readComparison(reader: FilterReader): Filter {
  const token = reader.peek();
  const left = readOperand(reader);
  if (left.type === 'call') return readCall(reader, left.name, token);
  if (reader.takeSign('==')) return { type: 'equals', left, right: readValue(reader) };
  if (reader.takeSign('!=')) return { type: 'not', of: { type: 'equals', left, right: readValue(reader) } };
  throw misplaced(reader.peek(), '== or !=');
}

/** The name and its opening bracket have been read. */
function readCall(reader: FilterReader, name: string, { at }: FilterToken): Filter {
  if (!FUNCTIONS.some((known) => known === name)) {
    throw new FilterError(
      `has '${name}' at character ${at + 1}, which is no function; there is ${FUNCTIONS.join(', ')}`,
      at + 1,
    );
  }
  if (name === 'search') return readSearch(reader);
  const left = readValue(reader);
  if (name === 'exists') {
    reader.expectSign(')');
    return { type: 'exists', of: left };
  }
  reader.expectSign(',');
  const right = readValue(reader);
  reader.expectSign(')');
  return { type: 'equals', left, right };
}

function readSearch(reader: FilterReader): Filter {
  const words: string[] = [];
  do words.push(searchText(reader.expect('text', 'a text').value));
  while (reader.takeSign(','));
  const { at } = reader.peek();
  reader.expectSign(')');
  if (words.length > MAX_WORDS) throw new FilterError(`has more than ${MAX_WORDS} words before ${at + 1}`, at + 1);
  return { type: 'search', words: words.filter((word) => word !== '') };
}

function readValue(reader: FilterReader): Operand {
  const token = reader.peek();
  const operand = readOperand(reader);
  if (operand.type === 'call') throw misplaced(token, 'a value');
  return operand;
}

function readOperand(reader: FilterReader): Operand | { type: 'call'; name: string } {
  const token = reader.take();
  if (token.type === 'text') return { type: 'text', text: token.value };
  if (token.type !== 'word') throw misplaced(token, 'a value');
  if (reader.takeSign('(')) return { type: 'call', name: token.value };
  if (token.value === 'name') return { type: 'name' };
  const path = readPath(reader);
  if (token.value === 'labels') return labelOf(path, token);
  if (token.value === 'resource') return resourceOf(path, token);
  throw new FilterError(
    `has '${token.value}' at character ${token.at + 1}; there is name, labels["key"] and resource.path, and texts in double quotes`,
    token.at + 1,
  );
}

function readPath(reader: FilterReader): string[] {
  const path: string[] = [];
  for (;;) {
    const { at } = reader.peek();
    if (reader.takeSign('.')) path.push(reader.expect('word', 'a name').value);
    else if (reader.takeSign('[')) {
      path.push(reader.expect('text', 'a text').value);
      reader.expectSign(']');
    } else return path;
    if (path.length > MAX_PATH) throw new FilterError(`has too long a path at character ${at + 1}`, at + 1);
  }
}

function labelOf(path: readonly string[], { at }: FilterToken): Operand {
  const [key] = path;
  if (key !== undefined && path.length === 1) return { type: 'label', key };
  throw new FilterError(`has labels without one key at character ${at + 1}: write labels["key"]`, at + 1);
}

function resourceOf(path: readonly string[], token: FilterToken): Operand {
  if (path.length === 0)
    throw new FilterError(`has resource without a path at character ${token.at + 1}`, token.at + 1);
  const [first, second, ...rest] = path;
  if (first === 'metadata' && second === 'labels') return labelOf(rest, token);
  if (path.every((name) => WORD.test(name))) return { type: 'path', path };
  throw new FilterError(`has a path with more than names at character ${token.at + 1}`, token.at + 1);
}
