/** Reads documents. Loaded late, through this file: the package loaded late by itself has no names in the bundle. */
import { parse, parseAllDocuments } from 'yaml';

/** What the document tells of itself; empty where it tells nothing or cannot be read. */
export function descriptionIn(content: string): string {
  try {
    const document: unknown = parse(content);
    const { metadata } = document as { metadata?: { description?: unknown } };
    return typeof metadata?.description === 'string' ? metadata.description : '';
  } catch {
    return '';
  }
}

export function documentsIn(text: string): unknown[] {
  return text === '' ? [] : parseAllDocuments(text).map((document) => document.toJS() as unknown);
}
