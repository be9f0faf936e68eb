/** Whether a filter holds for one resource in memory: what the conditions in SQL must agree with. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Filter, Operand } from '@gatehouse/contract/wire/filter';
import type { Labels } from '../access/bind-access.ts';
import { signOf, sortColumn } from './kind-fields.ts';

export interface Matched {
  kind: Kind;
  id: string;
  name: string;
  labels: Labels;
  /** As it is stored: one line per text, in lower case. */
  search: string;
  spec: unknown;
}

export function matchesFilter(filter: Filter, resource: Matched): boolean {
  switch (filter.type) {
    case 'and':
      return filter.of.every((part) => matchesFilter(part, resource));
    case 'or':
      return filter.of.some((part) => matchesFilter(part, resource));
    case 'not':
      return !matchesFilter(filter.of, resource);
    case 'equals': {
      const left = operandText(filter.left, resource);
      return left !== undefined && left === operandText(filter.right, resource);
    }
    case 'exists':
      return operandText(filter.of, resource) !== undefined;
    case 'search':
      return filter.words.every((word) => hasWord(resource.search, word));
    default:
      return filter satisfies never;
  }
}

export function hasWord(search: string, word: string): boolean {
  const sign = signOf(word);
  return search.includes(word) || (sign !== undefined && search.includes(sign));
}

function operandText(operand: Operand, resource: Matched): string | undefined {
  switch (operand.type) {
    case 'text':
      return operand.text;
    case 'name':
      return resource.name;
    case 'label':
      return Object.hasOwn(resource.labels, operand.key) ? resource.labels[operand.key] : undefined;
    case 'path':
      return textAt(operand.path, {
        kind: resource.kind,
        name: sortColumn(resource.kind, 'name') === 'id' ? resource.id : resource.name,
        spec: () => resource.spec,
      });
    default:
      return operand satisfies never;
  }
}

/** What stands at a path below `resource`, in the shape clients of the wire know: kind, metadata with its name, spec. */
export function textAt(
  [first, ...rest]: readonly string[],
  resource: { kind: Kind; name: string; spec: () => unknown },
): string | undefined {
  if (first === 'kind' && rest.length === 0) return resource.kind;
  if (first === 'metadata' && rest.length === 1 && rest[0] === 'name') return resource.name;
  if (first !== 'spec' || rest.length === 0) return undefined;
  const found = rest.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.getOwnPropertyDescriptor(value, name)?.value
        : undefined,
    resource.spec(),
  );
  return typeof found === 'string' ? found : undefined;
}
