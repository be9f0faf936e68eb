/** Reads a `where` condition: comparisons joined by `&&`, `||` and `!`. It cannot compute, loop or call out. */

import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import { FilterError, FilterReader, filterTokens, misplaced } from '@gatehouse/contract/wire/filter-tokens';
import { readLogic } from '@gatehouse/contract/wire/read-logic';
import { writtenKey } from '../match/trait-keys.ts';
import { FACT_SYNONYMS, FACTS, type FactName, type Operand, type Where } from './where-expression.ts';

export class WhereError extends Error {
  override name = 'WhereError';
}

const MAX_CHARACTERS = 4096;
const FUNCTIONS = ['equals', 'contains', 'has_prefix', 'exists'] as const;
const FUNCTION_SYNONYMS: Readonly<Record<string, (typeof FUNCTIONS)[number]>> = { hasPrefix: 'has_prefix' };

export function parseWhere(text: string): Where {
  if (text.length > MAX_CHARACTERS) throw new WhereError(`must have at most ${MAX_CHARACTERS} characters`);
  try {
    return readLogic(new FilterReader(filterTokens(text)), readComparison);
  } catch (error) {
    if (error instanceof FilterError) throw new WhereError(error.message, { cause: error });
    throw error;
  }
}

function readComparison(reader: FilterReader): Where {
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
  throw misplaced(reader.peek(), '== or !=');
}

function readFunction(reader: FilterReader, name: (typeof FUNCTIONS)[number]): Where {
  reader.take();
  reader.expectSign('(');
  const left = readOperand(reader);
  if (name === 'exists') {
    reader.expectSign(')');
    return { type: 'exists', left };
  }
  reader.expectSign(',');
  const right = readOperand(reader);
  reader.expectSign(')');
  return { type: name, left, right };
}

function readOperand(reader: FilterReader): Operand {
  const token = reader.take();
  if (token.type === 'text') return { type: 'values', values: [token.value] };
  if (token.type !== 'word') throw misplaced(token, 'a value');
  if (reader.peek().value === '(') throw new WhereError(unknown(token.value, FUNCTIONS, 'function'));
  let path = token.value;
  while (reader.takeSign('.')) path += `.${reader.expect('word', 'a name').value}`;
  return readFact(reader, path);
}

function readFact(reader: FilterReader, word: string): Operand {
  const whole = factNamed(word);
  if (whole) {
    if (FACTS[whole] === 'plain') return { type: 'fact', name: whole };
    if (!reader.takeSign('[')) throw new WhereError(`has '${word}' without a key: write ${word}["key"]`);
    const key = reader.expect('text', 'a key in double quotes').value;
    reader.expectSign(']');
    return { type: 'fact', name: whole, key: whole === 'user.spec.traits' ? writtenKey(key) : key };
  }
  const dot = word.lastIndexOf('.');
  const parent = factNamed(word.slice(0, dot));
  if (dot > 0 && parent && FACTS[parent] === 'keyed') return { type: 'fact', name: parent, key: word.slice(dot + 1) };
  // Of the same subject, if it is one: whoever asks about a resource does not mean themselves.
  const all = [...Object.keys(FACTS), ...Object.keys(FACT_SYNONYMS)];
  const alike = all.filter((fact) => fact.startsWith(`${word.split('.')[0]}.`));
  throw new WhereError(unknown(word, alike.length > 0 ? alike : all, 'thing a condition can ask about'));
}

function factNamed(word: string): FactName | undefined {
  if (Object.hasOwn(FACTS, word)) return word as FactName;
  return FACT_SYNONYMS[word];
}

function unknown(word: string, known: readonly string[], what: string): string {
  const close = didYouMean(word, known);
  return `has '${word}', which is not a ${what}; ${close ? `did you mean '${close}'?` : `there is ${known.join(', ')}`}`;
}
