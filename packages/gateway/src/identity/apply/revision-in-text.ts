/** The revision in the metadata of a document: put into a text and taken out of it without touching anything else. */
import { isMap, isScalar, type Pair, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';

/** Fields of the metadata that belong to the store, not to the document. */
const STORED = ['revision', 'id'];

export interface Bare {
  /** Without the fields of the store. */
  text: string;
  /** The same with blanks in their place: what stands after them keeps its line and column. */
  sameLines: string;
  revision: string | undefined;
}

export function takeOutRevision(text: string): Bare {
  const metadata = metadataOf(text);
  const bare: Bare = { text, sameLines: text, revision: undefined };
  if (!metadata) return bare;
  const pairs = metadata.items.filter((pair) => isScalar(pair.key) && STORED.includes(String(pair.key.value)));
  // From the end, so that the places of those before stay right.
  for (const pair of pairs.toReversed()) {
    const [start, end] = rangeOf(pair, text);
    if (isScalar(pair.key) && pair.key.value === 'revision' && isScalar(pair.value))
      bare.revision = String(pair.value.value);
    bare.sameLines = bare.sameLines.slice(0, start) + blank(text.slice(start, end)) + bare.sameLines.slice(end);
    bare.text = bare.text.slice(0, start) + bare.text.slice(end);
  }
  return bare;
}

export function putInRevision(text: string, revision: string): string {
  const metadata = metadataOf(text);
  const first = metadata?.items[0]?.key as ParsedNode | undefined;
  if (!metadata || !first?.range) return text;
  const field = `revision: ${JSON.stringify(revision)}`;
  const [at] = first.range;
  if (metadata.flow) return `${text.slice(0, at)}${field}, ${text.slice(at)}`;
  const indent = ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1));
  return `${text.slice(0, at)}${field}\n${indent}${text.slice(at)}`;
}

function metadataOf(text: string): YAMLMap<ParsedNode, ParsedNode | null> | undefined {
  const document = parseDocument(text, { version: '1.2' });
  if (document.errors.length > 0) return undefined;
  const metadata: unknown = document.get('metadata');
  return isMap(metadata) ? (metadata as YAMLMap<ParsedNode, ParsedNode | null>) : undefined;
}

/** From the field to the next one: with its line where it has one to itself, with its comma in a list of fields. */
function rangeOf({ key, value }: Pair<ParsedNode, ParsedNode | null>, text: string): [number, number] {
  const start = key.range[0];
  const end = value?.range?.[1] ?? key.range[1];
  const after = /^[ \t]*(?:,[ \t]*|(?:#.*)?\n[ \t]*)/.exec(text.slice(end))?.[0].length ?? 0;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const isOwnLine =
    /^\s*$/.test(text.slice(lineStart, start)) &&
    /^\s*(#.*)?$/.test(text.slice(end, lineEnd < 0 ? undefined : lineEnd));
  if (isOwnLine) return [lineStart, lineEnd < 0 ? text.length : lineEnd + 1];
  return [start, end + after];
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
