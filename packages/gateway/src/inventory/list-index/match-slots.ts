/** Which of the resources in memory a filter holds for, and which somebody sees: a flag for each slot, 1 where it holds. What stands for a free slot means nothing. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Filter, Operand } from '@gatehouse/contract/wire/filter';
import type { Visibility } from '../../access/visibility.ts';
import { holds } from '../../access/where/simplify-where.ts';
import { signOf, sortColumn } from '../kind-fields.ts';
import { textAt } from '../match-filter.ts';
import type { Flags } from './flag-arena.ts';
import type { IndexedResources } from './indexed-resources.ts';

type SlotText = (slot: number) => string | undefined;

export function visibleSlots(all: IndexedResources, seen: Visibility): Flags {
  const { length, labelSets } = all;
  const flags = all.flags();
  if (seen.type === 'none') return flags;
  if (seen.type === 'some') return inGroups(all, seen.groups, flags);
  const newest = seen.type === 'upTo' ? seen.newest : Number.MAX_SAFE_INTEGER;
  for (let slot = 0; slot < length; slot += 1) {
    const set = labelSets[slot]!;
    // A free slot has no set.
    if (set !== 0 && set <= newest) flags[slot] = 1;
  }
  return flags;
}

type Groups = Extract<Visibility, { type: 'some' }>['groups'];

function inGroups({ length, labelSets, columns }: IndexedResources, groups: Groups, flags: Flags): Flags {
  // One more than the last: what lies beyond is not seen.
  const beyond = groups.reduce((most, { ids }) => ids.reduce((a, b) => Math.max(a, b), most), 0) + 1;
  const isSeen = new Uint8Array(beyond + 1);
  for (const { ids } of groups) for (const id of ids) isSeen[id] = 1;
  for (let slot = 0; slot < length; slot += 1) flags[slot] = isSeen[Math.min(labelSets[slot]!, beyond)]!;
  for (const { ids, name: where } of groups) {
    if (!where) continue;
    const inGroup = new Set(ids);
    for (let slot = 0; slot < length; slot += 1) {
      if (!inGroup.has(labelSets[slot]!)) continue;
      const name = [columns.name[slot]!];
      flags[slot] = holds(where, (fact) => (fact === 'resource.metadata.name' ? name : [])) ? 1 : 0;
    }
  }
  return flags;
}

export function matchingSlots(all: IndexedResources, kind: Kind, filter: Filter): Flags {
  switch (filter.type) {
    case 'and':
    case 'or':
      return filter.of.map((part) => matchingSlots(all, kind, part)).reduce(filter.type === 'and' ? both : either);
    case 'not':
      return opposite(matchingSlots(all, kind, filter.of));
    case 'equals':
      return equals(all, kind, filter.left, filter.right);
    case 'exists':
      return exists(all, kind, filter.of);
    case 'search':
      return filter.words.map((word) => withWord(all, word)).reduce(both, opposite(all.flags()));
    default:
      return filter satisfies never;
  }
}

export function both(a: Flags, b: Flags): Flags {
  for (let slot = 0; slot < a.length; slot += 1) a[slot]! &= b[slot]!;
  return a;
}

function either(a: Flags, b: Flags): Flags {
  for (let slot = 0; slot < a.length; slot += 1) a[slot]! |= b[slot]!;
  return a;
}

function opposite(flags: Flags): Flags {
  for (let slot = 0; slot < flags.length; slot += 1) flags[slot]! ^= 1;
  return flags;
}

export function count(flags: Flags): number {
  let sum = 0;
  for (let slot = 0; slot < flags.length; slot += 1) sum += flags[slot]!;
  return sum;
}

function withWord(all: IndexedResources, word: string): Flags {
  const { pairs, searched } = all;
  const flags = all.flags();
  searched.flag(word, flags);
  const sign = signOf(word);
  if (sign !== undefined) searched.flag(sign, flags);
  pairs.flagWord(word, flags);
  return flags;
}

function equals(all: IndexedResources, kind: Kind, left: Operand, right: Operand): Flags {
  if (left.type === 'text' && right.type !== 'text') return equals(all, kind, right, left);
  if (right.type === 'text' && left.type === 'label') {
    const flags = all.flags();
    all.pairs.flagPair(left.key, right.text, flags);
    return flags;
  }
  const [a, b] = [textOf(all, kind, left), textOf(all, kind, right)];
  const mayHold = right.type === 'text' && isSpec(left) ? withQuoted(all, right.text) : undefined;
  return each(all, (slot) => {
    if (mayHold && mayHold[slot] === 0) return false;
    const text = a(slot);
    return text !== undefined && text === b(slot);
  });
}

/** Reading the JSON of each is what takes long; most do not even contain the text. */
function withQuoted(all: IndexedResources, text: string): Flags {
  const flags = all.flags();
  all.specs.flag(JSON.stringify(text), flags);
  return flags;
}

function exists(all: IndexedResources, kind: Kind, operand: Operand): Flags {
  if (operand.type === 'label') {
    const flags = all.flags();
    all.pairs.flagKey(operand.key, flags);
    return flags;
  }
  const text = textOf(all, kind, operand);
  return each(all, (slot) => text(slot) !== undefined);
}

function each(all: IndexedResources, test: (slot: number) => boolean): Flags {
  const { length, labelSets } = all;
  const flags = all.flags();
  for (let slot = 0; slot < length; slot += 1) if (labelSets[slot] !== 0 && test(slot)) flags[slot] = 1;
  return flags;
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
        const pair = labels[slot]!.find((number) => pairs.keys[number] === operand.key);
        return pair === undefined ? undefined : pairs.values[pair];
      };
    case 'path': {
      const names = columns[sortColumn(kind, 'name') ?? 'name'];
      return (slot) =>
        textAt(operand.path, { kind, name: names[slot]!, spec: () => JSON.parse(specs.get(slot)) as unknown });
    }
    default:
      return operand satisfies never;
  }
}
