/** A document's text as plain values for the form, or what keeps it from being read. */
import { isNode, parseDocument } from 'yaml';

export interface Problem {
  line: number;
  column: number;
  message: string;
  /** The field, where the gateway found it. */
  path?: string;
}

export interface ReadDocument {
  /** Nothing while the text cannot be read. */
  value: DocumentValue | undefined;
  problems: readonly Problem[];
}

export type DocumentValue = Readonly<Record<string, unknown>>;

/** `notMap` is what to say about a text that can be read but holds no fields. */
export function readDocument(text: string, notMap: string): ReadDocument {
  const doc = parseDocument(text, { prettyErrors: false });
  if (doc.errors.length > 0) {
    const problems = doc.errors.map(({ message, pos }) => ({ ...placeOf(text, pos[0]), message }));
    return { value: undefined, problems };
  }
  const value: unknown = doc.toJS();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { value: undefined, problems: [{ line: 1, column: 1, message: notMap }] };
  }
  return { value: value as DocumentValue, problems: [] };
}

/** Where a field stands in a text that can be read; its beginning where it does not stand there. */
export function placeAt(text: string, path: readonly (string | number)[]): Pick<Problem, 'line' | 'column'> {
  const node = parseDocument(text, { prettyErrors: false }).getIn(path, true);
  return placeOf(text, isNode(node) && node.range ? node.range[0] : 0);
}

function placeOf(text: string, at: number): Pick<Problem, 'line' | 'column'> {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (held, key) =>
      typeof held === 'object' && held !== null ? (held as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

/** A list of texts; one text stands for a list of one, as the gateway reads it. */
export function textsAt(value: unknown, path: readonly (string | number)[]): string[] {
  const found = valueAt(value, path);
  if (Array.isArray(found)) return found.map(String);
  return found === undefined || found === null || typeof found === 'object' ? [] : [String(found)];
}

/** Which fields of two versions differ: `spec.allow.logins`, two or three keys deep. */
export function changedFields(before: DocumentValue | undefined, after: DocumentValue | undefined): string[] {
  const [a, b] = [fieldsOf(before), fieldsOf(after)];
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => JSON.stringify(a.get(name)) !== JSON.stringify(b.get(name)));
}

function fieldsOf(document: DocumentValue | undefined): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  const add = (value: unknown, path: string[], depth: number) => {
    if (depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, each] of Object.entries(value)) {
        add(each, [...path, key], key === 'spec' ? depth : depth - 1);
      }
      return;
    }
    fields.set(path.join('.'), value);
  };
  add(document ?? {}, [], 2);
  return fields;
}
