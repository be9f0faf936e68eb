/** Whether one event answers a filter: what the queries ask of the store, asked of an event in hand. */
import type { EventRow } from '../../../platform/audit/chain.ts';
import { eventWords } from '../../../platform/storage/event-words.ts';
import type { EventFilter } from './find-query.ts';
import { readFields } from './wire-text.ts';
import { isWordless, piecesWanted, wordsWanted } from './words-wanted.ts';

export function matchesFilter(row: EventRow, filter: EventFilter): boolean {
  const among = (list: readonly string[], value: string) => list.length === 0 || list.includes(value);
  const equal = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;
  return (
    among(filter.include, row.event) &&
    among(filter.code, row.code) &&
    among(filter.severity, row.severity) &&
    equal(filter.user, row.user) &&
    equal(filter.resourceKind, row.resource_kind) &&
    equal(filter.resourceName, row.resource_name) &&
    equal(filter.session, row.session) &&
    equal(filter.signIn, row.sign_in) &&
    equal(filter.address, row.address) &&
    hasWords(row, filter)
  );
}

function hasWords(row: EventRow, filter: EventFilter): boolean {
  if (filter.search === undefined && filter.requestId === undefined) return true;
  if (isWordless(filter)) return false;
  const words = eventWords(row, readFields(row.data) ?? {});
  const known = new Set(words);
  const has = ({ word, begins }: { word: string; begins: boolean }) =>
    known.has(word) || (begins && words.some((other) => other.startsWith(word)));
  const { data, event, code, session, address, resource_name, sign_in } = row;
  const text = [data, event, code, session, address, resource_name, sign_in].join(' ').toLowerCase();
  return (
    wordsWanted(filter).every((group) => group.some(has)) && piecesWanted(filter).every((piece) => text.includes(piece))
  );
}
