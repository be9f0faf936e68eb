/** Reads YAML or JSON into plain values, and knows where in the text each of them stands. */
import { isMap, isNode, isPair, isScalar, isSeq, type ParsedNode } from 'yaml';
import { MAX_DEPTH, parseYaml } from './parse-yaml.ts';
import { type DocumentIssue, RoleDocumentError } from './role-document-error.ts';

export type Path = readonly PropertyKey[];

export interface LocatedDocument {
  /** Plain values. A key without a value is left out, as if it had not been written. */
  value: unknown;
  issueAt(path: Path, part: 'key' | 'value', message: string): DocumentIssue;
}

const MAX_ALIASES = 50;

export function readLocated(text: string): LocatedDocument {
  const { document, lines, errors } = parseYaml(text);
  const issue = (offset: number, path: Path, message: string): DocumentIssue => {
    const { line, col } = lines.linePos(offset);
    return { path: pathText(path), line: Math.max(line, 1), column: Math.max(col, 1), message };
  };
  if (errors.length > 0)
    throw new RoleDocumentError(errors.map(({ offset, message }) => issue(offset, [], `not valid YAML: ${message}`)));
  let value: unknown;
  try {
    value = withoutNulls(document.toJS({ maxAliasCount: MAX_ALIASES }), 0);
  } catch (error) {
    throw new RoleDocumentError([issue(0, [], `cannot be read: ${error instanceof Error ? error.message : error}`)]);
  }
  return {
    value,
    issueAt: (path, part, message) => issue(offsetOf(document.contents, path, part), path, message),
  };
}

function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error('it is nested too deeply');
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (value === null || typeof value !== 'object') return value;
  // Readers of plain objects pass over this name, and a restriction under it would be lost.
  if (Object.hasOwn(value, '__proto__')) throw new Error("no field may be called '__proto__'");
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item, depth + 1)]),
  );
}

/** The deepest node on the path that exists: a missing field is reported where it should have been. */
function offsetOf(root: ParsedNode | null, path: Path, part: 'key' | 'value'): number {
  let node: unknown = root;
  let offset = root?.range[0] ?? 0;
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!isPair(pair)) return offset;
      const place = last && part === 'key' ? pair.key : (pair.value ?? pair.key);
      offset = startOf(place) ?? startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

export function pathText(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
