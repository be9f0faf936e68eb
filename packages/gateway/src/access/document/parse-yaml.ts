/** Parses YAML that somebody wrote, in a time that grows no quicker than the text: whoever may change a single thing sends it, and everybody else waits meanwhile. */
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { type DocumentIssue, RoleDocumentError } from './role-document-error.ts';

/** Documents are shallow; deeper nesting is an attack on the reader's stack. */
export const MAX_DEPTH = 20;
/** As connectors have it, whose metadata is the longest there is. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_ERRORS = 5;

export interface ParsedYaml {
  document: Document.Parsed<ParsedNode>;
  lines: LineCounter;
  /** What is wrong with it, and where: it is not to be read then. */
  errors: readonly { offset: number; message: string }[];
}

/** Throws `RoleDocumentError` for what is not even parsed. */
export function parseYaml(text: string): ParsedYaml {
  if (text.length > MAX_CHARACTERS)
    throw new RoleDocumentError([atTop(`the document has more than ${MAX_CHARACTERS} characters`)]);
  refuseDeep(text);
  const lines = new LineCounter();
  // Each key would be compared with every other one; keys are looked at below.
  const options = { lineCounter: lines, prettyErrors: false, merge: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const errors = document.errors.slice(0, MAX_ERRORS).map(({ message, pos }) => ({ offset: pos[0], message }));
  const repeated = errors.length > 0 ? undefined : repeatedKey(document.contents);
  if (repeated !== undefined) errors.push({ offset: repeated, message: 'Map keys must be unique' });
  return { document, lines, errors };
}

/** Where a key stands that its map has already. */
function repeatedKey(root: ParsedNode | null): number | undefined {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const node = left.pop();
    if (isSeq(node)) for (const item of node.items) left.push(item);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      left.push(key, value);
      if (!isScalar(key)) continue;
      if (keys.has(key.value)) return isNode(key) ? (key.range?.[0] ?? 0) : 0;
      keys.add(key.value);
    }
  }
  return undefined;
}

/** The reader of YAML calls itself for each level, so the levels are counted before it. */
function refuseDeep(text: string): void {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH * 4) throw new RoleDocumentError([tooDeep()]);
  }
  for (const line of text.split('\n')) {
    const nested = /^[\s\-?]*/.exec(line)?.[0].replaceAll(/\s/g, '').length ?? 0;
    if (nested > MAX_DEPTH * 4) throw new RoleDocumentError([tooDeep()]);
  }
}

function tooDeep(): DocumentIssue {
  return atTop('the document is nested too deeply');
}

function atTop(message: string): DocumentIssue {
  return { path: '', line: 1, column: 1, message };
}
