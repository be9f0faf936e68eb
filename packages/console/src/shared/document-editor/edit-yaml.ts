/**
 * Changes one value in a YAML text and leaves every other line as its author wrote it: comments, order, quotes and
 * spacing. Whatever this cannot do by hand is written anew by the library, so that the result is always right.
 */
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { sameValue } from './same-value.ts';
import { inlineYaml, itemYaml, pairYaml, WRITE_OPTIONS } from './write-yaml.ts';

export type Path = readonly (string | number)[];

/** The text with `value` at `path`; `undefined` takes it out, and with it what it leaves empty. Only for text that can be read. */
export function setInYaml(text: string, path: Path, value: unknown): string {
  const doc = parseDocument(text);
  const [at, wanted] = value === undefined ? pruned(doc, path) : [path, value];
  const expected = withValue(doc.toJS(), at, wanted);
  const edited = editByHand(text, doc, at, wanted);
  if (edited !== undefined) {
    const result = parseDocument(edited);
    if (result.errors.length === 0 && sameValue(result.toJS(), expected)) return edited;
  }
  return writeAnew(doc, at, wanted);
}

/** Keeps comments and order too, but not the spacing and quotes of other lines. */
function writeAnew(doc: Document, path: Path, value: unknown): string {
  for (const depth of path.keys()) {
    // What is no collection cannot take anything in.
    if (depth > 0 && isScalar(doc.getIn(path.slice(0, depth), true))) doc.deleteIn(path.slice(0, depth));
  }
  if (value === undefined) doc.deleteIn(path);
  else doc.setIn(path, doc.createNode(value));
  return doc.toString(WRITE_OPTIONS);
}

interface Edit {
  from: number;
  to: number;
  insert: string;
}

function editByHand(text: string, doc: Document, path: Path, value: unknown): string | undefined {
  const edit = findEdit(text, doc.contents, path, value);
  return edit && text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
}

/** The deepest collection of the path that is there takes what is missing below it. */
function findEdit(text: string, holder: unknown, path: Path, value: unknown): Edit | undefined {
  const [key, ...rest] = path;
  if (key === undefined || !isNode(holder)) return undefined;
  if (rest.length === 0) return editIn(text, holder, key, value);
  if (isSeq(holder)) return findEdit(text, holder.items[Number(key)], rest, value);
  const pair = isMap(holder) ? pairOf(holder, String(key)) : undefined;
  if (pair && !isEmpty(pair)) return findEdit(text, pair.value, rest, value);
  if (!isMap(holder) || value === undefined) return undefined;
  const nested = Object.fromEntries([
    [rest[0], rest.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)],
  ]);
  return pair ? fillBelow(text, pair, nested) : editIn(text, holder, key, nested);
}

function editIn(text: string, parent: Node, key: string | number, value: unknown): Edit | undefined {
  if ((isMap(parent) || isSeq(parent)) && parent.flow && parent.range) {
    const [from, to] = parent.range;
    return { from, to, insert: inlineYaml(withValue(parent.toJSON(), [key], value), hasPadding(text, from)) };
  }
  if (isMap(parent)) {
    const pair = pairOf(parent, String(key));
    if (!pair) return value === undefined ? undefined : addPair(text, parent, String(key), value);
    if (value === undefined) return removeLines(text, startOf(pair.key), endOf(text, pair));
    return replaceValue(text, pair, value);
  }
  if (isSeq(parent)) return editItem(text, parent, Number(key), value);
  return undefined;
}

function addPair(text: string, map: YAMLMap, key: string, value: unknown): Edit | undefined {
  const last = map.items.at(-1);
  if (map.flow || !last || !isPair(last)) return undefined;
  const indent = columnOf(text, startOf(map.items[0]?.key));
  const at = endOfLine(text, endOf(text, last as Pair));
  const lead = text[at - 1] === '\n' ? '' : '\n';
  return { from: at, to: at, insert: `${lead}${pairYaml(key, value, indent)}` };
}

function fillBelow(text: string, pair: Pair, value: Record<string, unknown>): Edit {
  const from = afterColon(text, pair);
  const indent = columnOf(text, startOf(pair.key)) + 2;
  const lines = Object.entries(value).map(([key, each]) => pairYaml(key, each, indent));
  const end = pair.value && isNode(pair.value) && pair.value.range ? pair.value.range[1] : from;
  const to = Math.max(from, end);
  const rest = text.slice(to, endOfLine(text, to));
  return { from, to: to + rest.length, insert: `${rest.trimEnd()}\n${lines.join('')}` };
}

function replaceValue(text: string, pair: Pair, value: unknown): Edit | undefined {
  const node = pair.value;
  if (isEmpty(pair)) {
    if (isPlainObject(value)) return fillBelow(text, pair, value);
    const at = afterColon(text, pair);
    const end = isNode(node) && node.range ? Math.max(at, node.range[1]) : at;
    return { from: at, to: end, insert: ` ${inlineYaml(value)}` };
  }
  if (!isNode(node) || !node.range) return undefined;
  if (isMap(node) && !node.flow) return undefined;
  if (isSeq(node) && !node.flow) return Array.isArray(value) ? editItems(text, node, value) : undefined;
  if (isPlainObject(value) && !isMap(node)) return undefined;
  const [from, to] = node.range;
  // A text written as a block ends with its line.
  const tail = isScalar(node) && text.slice(from, to).endsWith('\n') ? '\n' : '';
  return { from, to, insert: inlineYaml(value, hasPadding(text, from)) + tail };
}

/** A block list keeps the lines of what stays; the rest goes, and what is new comes last. */
function editItems(text: string, list: YAMLSeq, values: readonly unknown[]): Edit | undefined {
  const first = list.items[0];
  if (!isNode(first) || !list.range) return undefined;
  let kept = '';
  let next = 0;
  let from = startOfLine(text, list.range[0]);
  const begin = from;
  for (const item of list.items) {
    if (!isNode(item)) return undefined;
    const to = endOfLine(text, endOf(text, item));
    if (next < values.length && sameValue(item.toJSON(), values[next])) {
      kept += text.slice(from, to);
      next += 1;
    } else {
      // A comment above an item that goes stays where it is.
      kept += text.slice(from, startOfLine(text, startOf(item)));
    }
    from = to;
  }
  const indent = columnOf(text, list.range[0]);
  const lead = kept === '' || kept.endsWith('\n') ? '' : '\n';
  const added = values.slice(next).map((value) => itemYaml(value, indent));
  return { from: begin, to: from, insert: kept + (added.length > 0 ? lead + added.join('') : '') };
}

function editItem(text: string, list: YAMLSeq, index: number, value: unknown): Edit | undefined {
  const item = list.items[index];
  if (value !== undefined) {
    const values = list.items.map((each) => (isNode(each) ? each.toJSON() : undefined));
    return item === undefined ? editItems(text, list, [...values, value]) : undefined;
  }
  return isNode(item) ? removeLines(text, startOf(item), endOf(text, item)) : undefined;
}

function removeLines(text: string, from: number, to: number): Edit | undefined {
  const start = startOfLine(text, from);
  // What stands before it on its line is somebody else's; only a dash of its own may.
  if (!/^\s*(- *)?$/.test(text.slice(start, from))) return undefined;
  return { from: start, to: endOfLine(text, to), insert: '' };
}

/** A map that would be left empty goes too, up to `spec` and `metadata`, which a document must have. */
function pruned(doc: Document, path: Path): [Path, undefined] {
  let at = path;
  while (at.length > 2) {
    const parent = doc.getIn(at.slice(0, -1), true);
    if (!((isMap(parent) || isSeq(parent)) && parent.items.length <= 1)) break;
    at = at.slice(0, -1);
  }
  return [at, undefined];
}

function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const index = Number(key);
    const inner = rest.length > 0 ? withValue(root[index], rest, value) : value;
    return inner === undefined ? root.toSpliced(index, 1) : root.toSpliced(index, 1, inner);
  }
  const held = isPlainObject(root) ? root : {};
  const inner = rest.length > 0 ? withValue(held[key], rest, value) : value;
  const others = Object.entries(held).filter(([name]) => name !== String(key));
  return Object.fromEntries(inner === undefined ? others : [...others, [String(key), inner]]);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key) as Pair | undefined;
}

/** Nothing behind the colon, or an empty map in braces. */
function isEmpty({ value }: Pair): boolean {
  if (value === null || value === undefined) return true;
  if (isScalar(value)) return value.value === null && !value.source;
  return isMap(value) && value.items.length === 0;
}

/** `[ a ]` stays spaced, `[a]` stays tight. */
function hasPadding(text: string, from: number): boolean {
  return /^[[{] /.test(text.slice(from, from + 2));
}

function startOf(node: unknown): number {
  return isNode(node) && node.range ? node.range[0] : 0;
}

/** Where the written value ends, without the empty lines and comments after it that the library counts in. */
function endOf(text: string, node: Node | Pair): number {
  if (isPair(node)) {
    const { value } = node;
    if (isNode(value) && value.range && !isEmpty(node)) return endOf(text, value);
    return Math.max(afterColon(text, node), isNode(value) && value.range ? value.range[1] : 0);
  }
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last = node.items.at(-1);
    if (isPair(last) || isNode(last)) return endOf(text, last);
  }
  const end = node.range?.[1] ?? 0;
  return text.slice(0, end).trimEnd().length;
}

function afterColon(text: string, pair: Pair): number {
  const end = isNode(pair.key) && pair.key.range ? pair.key.range[1] : 0;
  return text.indexOf(':', end) + 1;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** After the line break, or the end of the text. */
function endOfLine(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found === -1 ? text.length : found + 1;
}

function columnOf(text: string, at: number): number {
  return at - startOfLine(text, at);
}
