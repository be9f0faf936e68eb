/** A filter, and what somebody sees, as questions about one slot of the resources in memory. */
import type { Filter, Operand } from '@gatehouse/contract/filter';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Visibility } from '../../access/visibility.ts';
import { holds } from '../../access/where/simplify-where.ts';
import { signOf, sortColumn } from '../kind-fields.ts';
import { textAt } from '../match-filter.ts';
import type { IndexedResources } from './indexed-resources.ts';

export type SlotTest = (slot: number) => boolean;
type SlotText = (slot: number) => string | undefined;

const ALWAYS: SlotTest = () => true;
const NEVER: SlotTest = () => false;

export function visibleSlots({ labelSets, columns }: IndexedResources, seen: Visibility): SlotTest {
  if (seen.type === 'all') return ALWAYS;
  if (seen.type === 'none') return NEVER;
  if (seen.type === 'upTo') return (slot) => labelSets[slot]! <= seen.newest;
  const groupOf = new Map<number, number>();
  for (const [group, { ids }] of seen.groups.entries()) for (const id of ids) groupOf.set(id, group);
  const names = seen.groups.map(({ name }) => name);
  return (slot) => {
    const group = groupOf.get(labelSets[slot]!);
    if (group === undefined) return false;
    const where = names[group];
    return (
      where === undefined || holds(where, (fact) => (fact === 'resource.metadata.name' ? [columns.name[slot]!] : []))
    );
  };
}

export function matchingSlots(all: IndexedResources, kind: Kind, filter: Filter): SlotTest {
  const compile = (part: Filter): SlotTest => {
    switch (part.type) {
      case 'and':
        return every(part.of.map(compile));
      case 'or': {
        const tests = part.of.map(compile);
        return (slot) => tests.some((test) => test(slot));
      }
      case 'not': {
        const test = compile(part.of);
        return (slot) => !test(slot);
      }
      case 'equals':
        return equals(all, kind, part.left, part.right);
      case 'exists':
        return exists(all, kind, part.of);
      case 'search':
        return every(part.words.map((word) => hasWord(all, word)));
      default:
        return part satisfies never;
    }
  };
  return compile(filter);
}

function every(tests: readonly SlotTest[]): SlotTest {
  if (tests.length === 1) return tests[0]!;
  return (slot) => tests.every((test) => test(slot));
}

function hasWord({ pairs, searched, labels }: IndexedResources, word: string): SlotTest {
  const inLabels = hasPair(
    labels,
    pairs.which((pair) => pairs.texts[pair]!.includes(word)),
  );
  const sign = signOf(word);
  return (slot) =>
    inLabels(slot) || searched[slot]!.includes(word) || (sign !== undefined && searched[slot]!.includes(sign));
}

function hasPair(labels: IndexedResources['labels'], flags: Uint8Array | undefined): SlotTest {
  if (!flags) return NEVER;
  return (slot) => {
    for (const pair of labels[slot]!) if (flags[pair] === 1) return true;
    return false;
  };
}

function equals(all: IndexedResources, kind: Kind, left: Operand, right: Operand): SlotTest {
  if (left.type === 'text' && right.type !== 'text') return equals(all, kind, right, left);
  if (right.type === 'text' && left.type === 'label') {
    const pair = all.pairs.find(left.key, right.text);
    return pair === undefined ? NEVER : (slot) => all.labels[slot]!.includes(pair);
  }
  const [a, b] = [textOf(all, kind, left), textOf(all, kind, right)];
  if (right.type === 'text' && isSpec(left)) {
    // Reading the JSON of each is what takes long; most do not even contain the text.
    const quoted = JSON.stringify(right.text);
    return (slot) => all.specs[slot]!.includes(quoted) && a(slot) === right.text;
  }
  return (slot) => {
    const text = a(slot);
    return text !== undefined && text === b(slot);
  };
}

function exists(all: IndexedResources, kind: Kind, operand: Operand): SlotTest {
  if (operand.type === 'label') {
    return hasPair(
      all.labels,
      all.pairs.which((pair) => all.pairs.keys[pair] === operand.key),
    );
  }
  const text = textOf(all, kind, operand);
  return (slot) => text(slot) !== undefined;
}

function isSpec(operand: Operand): boolean {
  return operand.type === 'path' && operand.path[0] === 'spec';
}

function textOf({ pairs, labels, columns, specs }: IndexedResources, kind: Kind, operand: Operand): SlotText {
  switch (operand.type) {
    case 'text':
      return () => operand.text;
    case 'name':
      return (slot) => columns.name[slot];
    case 'label':
      return (slot) => {
        const pair = labels[slot]!.find((each) => pairs.keys[each] === operand.key);
        return pair === undefined ? undefined : pairs.values[pair];
      };
    case 'path': {
      const metadata = columns[sortColumn(kind, 'name') ?? 'name'];
      const of = (slot: number) => ({ kind, name: metadata[slot]!, spec: () => JSON.parse(specs[slot]!) as unknown });
      return (slot) => textAt(operand.path, of(slot));
    }
    default:
      return operand satisfies never;
  }
}
