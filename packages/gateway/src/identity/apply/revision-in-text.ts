/** The revision in the metadata of a document: put into a text and taken out of it without touching anything else. */
import type { ParsedNode } from 'yaml';
import { fieldsAt, takeOutFields } from '../../access/document/take-out-fields.ts';

/** Fields of the metadata that belong to the store, not to the document. */
const STORED = [
  ['metadata', 'revision'],
  ['metadata', 'id'],
] as const;

export interface Bare {
  /** Without the fields of the store. */
  text: string;
  /** The same with blanks in their place: what stands after them keeps its line and column. */
  sameLines: string;
  revision: string | undefined;
}

export function takeOutRevision(text: string): Bare {
  const { text: bare, sameLines, values } = takeOutFields(text, STORED);
  return { text: bare, sameLines, revision: values.get('metadata.revision') };
}

export function putInRevision(text: string, revision: string): string {
  const metadata = fieldsAt(text, ['metadata']);
  const first = metadata?.items[0]?.key as ParsedNode | undefined;
  if (!metadata || !first?.range) return text;
  const field = `revision: ${JSON.stringify(revision)}`;
  const [at] = first.range;
  if (metadata.flow) return `${text.slice(0, at)}${field}, ${text.slice(at)}`;
  const indent = ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1));
  return `${text.slice(0, at)}${field}\n${indent}${text.slice(at)}`;
}
