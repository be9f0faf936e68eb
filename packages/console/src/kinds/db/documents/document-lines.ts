/** The lines of a tree of documents: those that are open, one below the other. */
import type { MongoValue } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import type { Documents } from './document-rows.ts';

/** The first ones are open until somebody closes them. */
const OPEN_FIRST = 5;

export interface DocumentLine {
  /** Which document, and the way into it. */
  key: string;
  index: number;
  depth: number;
  /** Of the field, or the place in a list; empty for the document itself. */
  name: string;
  value: MongoValue;
  isOpen: boolean;
  /** Where it stands among its neighbours, from 1. */
  position: number;
  neighbours: number;
}

export function isParent(value: MongoValue): boolean {
  return value.is === 'document' ? value.fields.length > 0 : value.is === 'array' && value.values.length > 0;
}

/** `turned`: those that are not as they are at first. */
export function linesOf(documents: Documents, count: number, turned: ReadonlySet<string>): LineList {
  const blocks: number[] = [];
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    blocks.push(total);
    total += isOpenAt(index, turned) ? linesIn(documents, index, count, turned).length : 1;
  }
  const cache = new Map<number, DocumentLine[]>();
  const block = (index: number) => {
    const known = cache.get(index);
    if (known) return known;
    const made = linesIn(documents, index, count, turned);
    cache.set(index, made);
    return made;
  };
  return {
    total,
    at(line) {
      let [low, high] = [0, blocks.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((blocks[middle] ?? 0) <= line) low = middle;
        else high = middle - 1;
      }
      return block(low)[line - (blocks[low] ?? 0)];
    },
    find(key) {
      const index = Number(key.split('.', 1)[0]);
      const within = index < count ? block(index).findIndex((line) => line.key === key) : -1;
      return within < 0 ? -1 : (blocks[index] ?? 0) + within;
    },
  };
}

/** No line is made before it is in sight. */
export interface LineList {
  total: number;
  at(line: number): DocumentLine | undefined;
  find(key: string): number;
}

function isOpenAt(index: number, turned: ReadonlySet<string>): boolean {
  return index < OPEN_FIRST !== turned.has(String(index));
}

function linesIn(documents: Documents, index: number, count: number, turned: ReadonlySet<string>): DocumentLine[] {
  const lines: DocumentLine[] = [];
  const walk = (value: MongoValue, name: string, key: string, depth: number, position: number, neighbours: number) => {
    const isOpen = isParent(value) && (depth === 0 ? isOpenAt(index, turned) : turned.has(key));
    lines.push({ key, index, depth, name, value, isOpen, position, neighbours });
    if (!isOpen) return;
    const inner = partsOf(value);
    for (const [at, part] of inner.entries())
      walk(part.value, part.name, `${key}.${at}`, depth + 1, at + 1, inner.length);
  };
  walk(documents.at(index), '', String(index), 0, index + 1, count);
  return lines;
}

function partsOf(value: MongoValue): { name: string; value: MongoValue }[] {
  if (value.is === 'document') return [...value.fields];
  return value.is === 'array' ? value.values.map((each, at) => ({ name: String(at), value: each })) : [];
}
