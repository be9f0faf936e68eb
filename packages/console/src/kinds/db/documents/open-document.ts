/** One document of a result, with where it may be changed. */
import { fieldOf } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import type { Result } from '../workbench/bench/work.ts';
import type { OpenDocument } from './document-panel.tsx';
import { Documents } from './document-rows.ts';
import { formOfText } from './query-form.ts';

const read = new WeakMap<Result['rows'], Documents>();

export function openDocument(result: Result | undefined, index: number, isWriting: boolean): OpenDocument | undefined {
  if (!result || index >= result.count) return undefined;
  const documents = read.get(result.rows) ?? new Documents(result.rows);
  read.set(result.rows, documents);
  const document = documents.at(index);
  const bytes = documents.cutAt(index);
  const { mode, database, collection } = formOfText(result.sql, '');
  // Of what was cut only the beginning is here, and what was computed stands nowhere.
  const isStored = mode === 'find' && database !== '' && bytes === undefined && fieldOf(document, '_id') !== undefined;
  return { index, document, bytes, where: isWriting && isStored ? { database, collection } : undefined };
}
