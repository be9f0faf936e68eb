/** Reads what comparisons are joined by, in lists and in conditions of roles: `&&`, `||`, `!` and brackets. */
import { FilterError, type FilterReader } from './filter-tokens.ts';

export type Logic<Leaf> = Leaf | { type: 'and' | 'or'; of: readonly Logic<Leaf>[] } | { type: 'not'; of: Logic<Leaf> };

/** A text of nothing but brackets would otherwise use up the stack. */
const MAX_DEPTH = 20;

/** All of the text is one expression. */
export function readLogic<Leaf>(reader: FilterReader, readLeaf: (reader: FilterReader) => Leaf): Logic<Leaf> {
  const readOr = (depth: number): Logic<Leaf> => {
    const of = [readAnd(depth)];
    while (reader.takeSign('||')) of.push(readAnd(depth));
    return of.length === 1 ? of[0]! : { type: 'or', of };
  };
  const readAnd = (depth: number): Logic<Leaf> => {
    const of = [readNot(depth)];
    while (reader.takeSign('&&')) of.push(readNot(depth));
    return of.length === 1 ? of[0]! : { type: 'and', of };
  };
  const readNot = (depth: number): Logic<Leaf> => {
    const { at } = reader.peek();
    if (depth > MAX_DEPTH) throw new FilterError(`is nested too deeply at character ${at + 1}`, at + 1);
    if (reader.takeSign('!')) return { type: 'not', of: readNot(depth + 1) };
    if (!reader.takeSign('(')) return readLeaf(reader);
    const inner = readOr(depth + 1);
    reader.expectSign(')');
    return inner;
  };
  const whole = readOr(0);
  reader.expect('end', 'the end');
  return whole;
}
