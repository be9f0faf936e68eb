/** An object as a text that people edit, and what they changed of it as the cluster takes it. */
import { parseDocument, stringify } from 'yaml';

type Fields = Readonly<Record<string, unknown>>;

/** Who set which field when: longer than the object, and nobody's to write. */
function withoutNoise(object: Fields): Fields {
  const { metadata } = object;
  if (!isFields(metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

export function objectYaml(object: Fields, showsAll = false): string {
  return stringify(showsAll ? object : withoutNoise(object), { lineWidth: 0, aliasDuplicateObjects: false });
}

export type EditedObject = { value: Fields } | { problem: { line: number; column: number; message: string } };

/** `notMap` is what to say about a text that can be read but holds no fields. */
export function readEdited(text: string, notMap: string): EditedObject {
  const doc = parseDocument(text, { prettyErrors: false });
  const [error] = doc.errors;
  if (error) {
    const before = text.slice(0, error.pos[0]).split('\n');
    return {
      problem: { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message: error.message },
    };
  }
  const value: unknown = doc.toJS({ maxAliasCount: 100 });
  return isFields(value) ? { value } : { problem: { line: 1, column: 1, message: notMap } };
}

/** A merge patch from what was shown to what it is now; nothing where it is the same. It fails where somebody else was first. */
export function patchOf(shown: Fields, edited: Fields): Fields | undefined {
  const before = withoutNoise(shown);
  const changed = changesOf(before, edited);
  if (!changed) return undefined;
  const version = isFields(shown.metadata) ? shown.metadata.resourceVersion : undefined;
  const metadata = isFields(changed.metadata) ? changed.metadata : {};
  return { ...changed, metadata: { ...metadata, resourceVersion: version } };
}

function changesOf(before: Fields, after: Fields): Fields | undefined {
  const changes: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changes[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (JSON.stringify(was) === JSON.stringify(value)) continue;
    const inner = isFields(was) && isFields(value) ? changesOf(was, value) : undefined;
    // The same fields in another order are the same.
    if (isFields(was) && isFields(value)) {
      if (inner) put(changes, key, inner);
    } else put(changes, key, value);
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** Also a key that means something to objects of this language. */
function put(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
