/** Takes fields out of the text of a document without touching anything else in it: comments, order and spacing stay its author's. */
import { isMap, isScalar, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { type ParsedYaml, parseYaml } from './parse-yaml.ts';
import { RoleDocumentError } from './role-document-error.ts';

export type Fields = YAMLMap<ParsedNode, ParsedNode | null>;
type Field = Pair<ParsedNode, ParsedNode | null>;

export interface TakenOut {
  /** Without the fields. */
  text: string;
  /** The same with blanks in their place: what stands after them keeps its line and column. */
  sameLines: string;
  /** What was taken, by its path; only plain values. */
  values: ReadonlyMap<string, string>;
}

/** `paths` as names from the top. A text that cannot be read is left as it is. */
export function takeOutFields(text: string, paths: readonly (readonly string[])[]): TakenOut {
  const parsed = readable(text);
  const found = paths.flatMap((path) => {
    const pair = parsed && fieldAt(parsed, path);
    return pair ? [{ path, pair, range: rangeOf(pair, text) }] : [];
  });
  // From the end, so that the places of those before stay right.
  found.sort((a, b) => b.range[0] - a.range[0]);
  let [bare, sameLines] = [text, text];
  const values = new Map<string, string>();
  for (const { path, pair, range } of found) {
    const [start, end] = range;
    if (isScalar(pair.value)) values.set(path.join('.'), String(pair.value.value));
    sameLines = sameLines.slice(0, start) + blank(text.slice(start, end)) + sameLines.slice(end);
    bare = bare.slice(0, start) + bare.slice(end);
  }
  return { text: bare, sameLines, values };
}

/** The fields that stand under a path. */
export function fieldsAt(text: string, path: readonly string[]): Fields | undefined {
  const parsed = readable(text);
  return parsed && fieldsIn(parsed, path);
}

/** What cannot be read is told by whoever reads it. */
function readable(text: string): ParsedYaml | undefined {
  try {
    const parsed = parseYaml(text);
    return parsed.errors.length > 0 ? undefined : parsed;
  } catch (error) {
    if (error instanceof RoleDocumentError) return undefined;
    throw error;
  }
}

function fieldsIn({ document }: ParsedYaml, path: readonly string[]): Fields | undefined {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path);
  return isMap(node) ? (node as Fields) : undefined;
}

function fieldAt(parsed: ParsedYaml, path: readonly string[]): Field | undefined {
  const name = path.at(-1);
  return fieldsIn(parsed, path.slice(0, -1))?.items.find(({ key }) => isScalar(key) && String(key.value) === name);
}

/** From the field to the next one: with its line where it has one to itself, with its comma in a list of fields. */
function rangeOf({ key, value }: Field, text: string): [number, number] {
  const start = key.range[0];
  const end = value?.range?.[1] ?? key.range[1];
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isFirstOfLine = /^\s*$/.test(text.slice(lineStart, start));
  // A block of several lines ends behind its last one.
  if (isFirstOfLine && text[end - 1] === '\n') return [lineStart, end];
  const after = /^[ \t]*(?:,[ \t]*|(?:#.*)?\n[ \t]*)/.exec(text.slice(end))?.[0].length ?? 0;
  const lineEnd = text.indexOf('\n', end);
  const isOwnLine = isFirstOfLine && /^\s*(#.*)?$/.test(text.slice(end, lineEnd < 0 ? undefined : lineEnd));
  if (isOwnLine) return [lineStart, lineEnd < 0 ? text.length : lineEnd + 1];
  return [start, end + after];
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
