/** Works a condition out as far as the facts are known. With all of them known, `true` or `false` is left. */
import type { FactName, Operand, Where } from './where-expression.ts';

/** The values of a fact; `undefined` when they are not known yet, which is not the same as there being none. */
export type FactReader = (name: FactName, key: string | undefined) => readonly string[] | undefined;

const TRUE: Where = { type: 'constant', value: true };
const FALSE: Where = { type: 'constant', value: false };

export function simplifyWhere(where: Where, read: FactReader): Where {
  switch (where.type) {
    case 'constant':
      return constant(where.value);
    case 'not':
      return negate(simplifyWhere(where.of, read));
    case 'and':
      return join('and', where.of, FALSE, read);
    case 'or':
      return join('or', where.of, TRUE, read);
    case 'exists': {
      const left = known(where.left, read);
      return left.type === 'values' ? constant(left.values.length > 0) : { type: 'exists', left };
    }
    default: {
      const left = known(where.left, read);
      const right = known(where.right, read);
      if (isEmpty(left) || isEmpty(right)) return constant(false);
      if (left.type !== 'values' || right.type !== 'values') return { type: where.type, left, right };
      return constant(compare(where.type, left.values, right.values));
    }
  }
}

/** For when every fact is known. */
export function holds(where: Where, read: FactReader): boolean {
  const result = simplifyWhere(where, (name, key) => read(name, key) ?? []);
  return result.type === 'constant' && result.value;
}

/** A thing without a value equals nothing, holds nothing and begins with nothing. */
export function compare(
  type: 'equals' | 'contains' | 'has_prefix',
  left: readonly string[],
  right: readonly string[],
): boolean {
  if (left.length === 0 || right.length === 0) return false;
  switch (type) {
    case 'equals':
      return left.length === right.length && left.every((value) => right.includes(value));
    case 'contains':
      return right.every((value) => left.includes(value));
    case 'has_prefix':
      return left.length === 1 && right.length === 1 && left[0]!.startsWith(right[0]!);
    default:
      return type satisfies never;
  }
}

export function constant(value: boolean): Where {
  return value ? TRUE : FALSE;
}

export function negate(where: Where): Where {
  if (where.type === 'constant') return constant(!where.value);
  return where.type === 'not' ? where.of : { type: 'not', of: where };
}

function join(type: 'and' | 'or', parts: readonly Where[], decisive: Where, read: FactReader): Where {
  const open: Where[] = [];
  for (const part of parts) {
    const result = simplifyWhere(part, read);
    if (result === decisive) return decisive;
    if (result.type !== 'constant') open.push(result);
  }
  if (open.length === 0) return decisive === TRUE ? FALSE : TRUE;
  return open.length === 1 ? open[0]! : { type, of: open };
}

function isEmpty(operand: Operand): boolean {
  return operand.type === 'values' && operand.values.length === 0;
}

function known(operand: Operand, read: FactReader): Operand {
  if (operand.type === 'values') return operand;
  const values = read(operand.name, operand.key);
  return values === undefined ? operand : { type: 'values', values };
}
