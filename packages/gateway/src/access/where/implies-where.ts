/** Whether one condition holds wherever another does, as far as that can be proven. Not proven is `false`. */
import { compare, type FactReader, simplifyWhere } from './simplify-where.ts';
import type { Operand, Where } from './where-expression.ts';

/** Both are worked out as far as the facts about their users are known. */
export function impliesWhere(narrow: Where, wide: Where): boolean {
  if (narrow.type === 'constant') return !narrow.value || (wide.type === 'constant' && wide.value);
  if (wide.type === 'constant') return wide.value;
  if (narrow.type === 'or') return narrow.of.every((part) => impliesWhere(part, wide));
  if (wide.type === 'and') return wide.of.every((part) => impliesWhere(narrow, part));
  if (isSame(narrow, wide)) return true;
  if (narrow.type === 'and' && narrow.of.some((part) => impliesWhere(part, wide))) return true;
  if (wide.type === 'or') return wide.of.some((part) => impliesWhere(narrow, part));
  if (narrow.type === 'not') return wide.type === 'not' && impliesWhere(wide.of, narrow.of);
  return narrow.type !== 'and' && narrow.type !== 'exists' && wide.type === narrow.type && reaches(narrow, wide);
}

type Comparison = Extract<Where, { left: Operand; right: Operand }>;

function reaches(narrow: Comparison, wide: Comparison): boolean {
  const [left, right] = [valuesOf(narrow.left, wide.left), valuesOf(narrow.right, wide.right)];
  switch (narrow.type) {
    case 'contains':
      // Of more values more are contained, and fewer are more easily contained.
      if (left) return isSame(narrow.right, wide.right) && isEvery(left.narrow, left.wide);
      return right !== undefined && isSame(narrow.left, wide.left) && isEvery(right.wide, right.narrow);
    case 'has_prefix':
      return right !== undefined && isSame(narrow.left, wide.left) && compare('has_prefix', right.narrow, right.wide);
    case 'equals':
      return false;
    default:
      return narrow.type satisfies never;
  }
}

function valuesOf(narrow: Operand, wide: Operand) {
  if (narrow.type !== 'values' || wide.type !== 'values') return undefined;
  return { narrow: narrow.values, wide: wide.values };
}

function isEvery(some: readonly string[], all: readonly string[]): boolean {
  return some.every((value) => all.includes(value));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The same condition, asked for two people. What it gives somebody of their own things counts as the same for both:
 * everybody may see the sessions they were in. What it keeps them from of their own does not: the other reaches it.
 */
export function impliesForOthers(where: Where, narrow: FactReader, wide: FactReader, side: 'allow' | 'deny'): boolean {
  if (impliesWhere(simplifyWhere(where, narrow), simplifyWhere(where, wide))) return true;
  const [ofNarrow, ofWide] = [simplifyWhere(where, nameless(narrow)), simplifyWhere(where, nameless(wide))];
  const gives = side === 'allow';
  return !namesSomebody(ofNarrow, gives) && !namesSomebody(ofWide, gives) && impliesWhere(ofNarrow, ofWide);
}

function nameless(read: FactReader): FactReader {
  return (fact, key) => (fact === 'user.metadata.name' ? undefined : read(fact, key));
}

/** A name that is compared with a text says who it is; one that is compared with a thing says whose it is, where that gives it to them. */
function namesSomebody(where: Where, gives: boolean): boolean {
  switch (where.type) {
    case 'constant':
      return false;
    case 'not':
      return namesSomebody(where.of, !gives);
    case 'and':
    case 'or':
      return where.of.some((part) => namesSomebody(part, gives));
    case 'exists':
      return isName(where.left);
    case 'has_prefix':
      // More begins with a shorter name.
      return isName(where.left) || isName(where.right);
    default:
      if (isName(where.left)) return !gives || !isThing(where.right);
      return isName(where.right) && (!gives || !isThing(where.left));
  }
}

function isName(operand: Operand): boolean {
  return operand.type === 'fact' && operand.name === 'user.metadata.name';
}

function isThing(operand: Operand): boolean {
  return operand.type === 'fact' && !operand.name.startsWith('user.');
}
