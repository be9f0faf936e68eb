/** Label values and names as roles write them: exact, with `*`, or a regular expression between `^` and `$`. Never slower than linear. */
import { RE2JS, RE2JSException } from 're2js';
import { expressionSize } from './expression-size.ts';

export interface Pattern {
  type: 'literal' | 'glob' | 'expression';
  /** As written. */
  text: string;
  matches(value: string): boolean;
  /** Whether it matches every value there can be. */
  matchesAll: boolean;
}

export const MAX_PATTERN = 512;
const MAX_REMEMBERED = 4096;
/** Counted repetitions are written out: a short text can become a large program. */
const MAX_PROGRAM = 1_000;
/** By the text alone, which tells a little more than there is. Ten times as large takes a tenth of a second to find out. */
const MAX_WRITTEN_OUT = 3 * MAX_PROGRAM;

const TOO_LARGE = 'is a regular expression with too many repetitions';

/** Throws `PatternError` when it is a regular expression that cannot be read. */
export function parsePattern(text: string): Pattern {
  if (text.startsWith('^') && text.endsWith('$') && text.length > 1) return expressionPattern(text);
  if (text.includes('*')) return globPattern(text);
  return literalPattern(text);
}

export class PatternError extends Error {
  override name = 'PatternError';
}

/** What a template gave is compared letter by letter: a trait that holds `*` must not become everything. */
export function literalPattern(text: string): Pattern {
  return { type: 'literal', text, matches: (value) => value === text, matchesAll: false };
}

/** The same pattern for targets that do not tell upper from lower case, nor one writing of a letter from another. */
export function foldPattern({ type, text }: Pattern): Pattern {
  if (type === 'literal') return literalPattern(foldText(text));
  return type === 'glob' ? globPattern(foldText(text)) : expressionPattern(`^(?i:${text.slice(1, -1)})$`);
}

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Only the engine without backtracking may see an expression that somebody else wrote. */
export function compileExpression(text: string): RE2JS {
  if (text.length > MAX_PATTERN) throw new PatternError(`must have at most ${MAX_PATTERN} characters`);
  if (expressionSize(text) > MAX_WRITTEN_OUT) throw new PatternError(TOO_LARGE);
  try {
    const compiled = RE2JS.compile(text);
    if (compiled.programSize() <= MAX_PROGRAM) return compiled;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not a regular expression: ${error.message.replace('error parsing regexp: ', '')}`);
  }
  throw new PatternError(TOO_LARGE);
}

function expressionPattern(text: string): Pattern {
  const expression = compileExpression(text);
  return { type: 'expression', text, matches: remembered((value) => expression.testExact(value)), matchesAll: false };
}

function globPattern(text: string): Pattern {
  const parts = text.split('*');
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1).filter((part) => part !== '');
  const fixed = parts.reduce((sum, part) => sum + part.length, 0);
  if (fixed === 0) return { type: 'glob', text, matches: () => true, matchesAll: true };
  return {
    type: 'glob',
    text,
    matchesAll: false,
    matches(value) {
      if (value.length < fixed || !value.startsWith(first) || !value.endsWith(last)) return false;
      const end = value.length - last.length;
      let from = first.length;
      for (const part of middle) {
        const found = value.indexOf(part, from);
        if (found < 0 || found + part.length > end) return false;
        from = found + part.length;
      }
      return true;
    },
  };
}

/** The same few values are asked for again and again. */
function remembered(matches: (value: string) => boolean): (value: string) => boolean {
  const known = new Map<string, boolean>();
  return (value) => {
    const held = known.get(value);
    if (held !== undefined) return held;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const result = matches(value);
    known.set(value, result);
    return result;
  };
}
