/** What a list is filtered by: labels one clicked, and words or a query one typed. Written as the wire has it, and read back. */

import type { Label } from '@gatehouse/contract/std/labels';
import { labelFilter, parseFilter } from '@gatehouse/contract/wire/filter';
import { FilterError } from '@gatehouse/contract/wire/filter-tokens';

export interface ListFilter {
  labels: readonly Label[];
  /** Words to search for, or a query in the predicate language. */
  text: string;
}

/** As it stands in the address and in calls; at most one of them is set by us, both are understood. */
export interface FilterTexts {
  search: string;
  query: string;
}

const AND = ' && ';
const LABEL = /^labels\["((?:[^"\\]|\\.)*)"\]\s*==\s*"((?:[^"\\]|\\.)*)"$/;
const SEARCH = /^search\(\s*("(?:[^"\\]|\\.)*"(?:\s*,\s*"(?:[^"\\]|\\.)*")*)\s*\)$/;
const PREDICATE = /[=!]=|&&|\|\||^\s*[!(]|\b(?:labels|resource)\s*[.[]|\b(?:equals|search|exists|contains)\s*\(/;

/** Whether somebody who typed this means a query rather than words. */
export function isPredicate(text: string): boolean {
  return PREDICATE.test(text);
}

/** What is wrong with a query, and at which character, counted from 1. Words are never wrong. */
export function filterProblem(text: string): { message: string; at: number } | undefined {
  if (!isPredicate(text)) return undefined;
  try {
    parseFilter(text);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return { message: error.message, at: error.at };
    throw error;
  }
}

export function writeFilter({ labels, text }: ListFilter): FilterTexts {
  const typed = text.trim();
  if (labels.length === 0) return isPredicate(typed) ? { search: '', query: typed } : { search: typed, query: '' };
  return {
    search: '',
    query: [...labels.map(({ name, value }) => labelFilter(name, value)), ...textClause(typed)].join(AND),
  };
}

export function readFilter({ search, query }: FilterTexts): ListFilter {
  if (query === '') return { labels: [], text: search };
  const clauses = filterProblem(query) ? undefined : splitClauses(query);
  if (!clauses) return { labels: [], text: search === '' ? query : [query, ...textClause(search)].join(AND) };
  const labels = clauses.map(labelOf).filter((label) => label !== undefined);
  const rest = [...clauses.filter((clause) => !labelOf(clause)), ...textClause(search)];
  const words = rest.length === 1 ? wordsOf(rest[0] ?? '') : undefined;
  return { labels: distinct(labels), text: words ?? rest.join(AND) };
}

export function hasLabel({ labels }: ListFilter, { name, value }: Label): boolean {
  return labels.some((label) => label.name === name && label.value === value);
}

/** Picked again, it is taken away. */
export function toggleLabel(filter: ListFilter, { name, value }: Label): ListFilter {
  return hasLabel(filter, { name, value })
    ? { ...filter, labels: filter.labels.filter((label) => !(label.name === name && label.value === value)) }
    : { ...filter, labels: [...filter.labels, { name, value }] };
}

function labelOf(clause: string): Label | undefined {
  const [, name, value] = LABEL.exec(clause) ?? [];
  return name === undefined || value === undefined ? undefined : { name: unquoted(name), value: unquoted(value) };
}

function textClause(text: string): string[] {
  if (text === '') return [];
  // An "or" would reach over the clauses beside it.
  if (isPredicate(text)) return [text.includes('||') && splitClauses(text)?.length === 1 ? `(${text})` : text];
  const words = text.match(/"[^"]*"|\S+/g) ?? [];
  return [`search(${words.map((word) => JSON.stringify(word.replaceAll('"', ''))).join(', ')})`];
}

function wordsOf(clause: string): string | undefined {
  const list = SEARCH.exec(clause)?.[1];
  const words = list?.match(/"(?:[^"\\]|\\.)*"/g)?.map((word) => unquoted(word.slice(1, -1)));
  // Words with a quote in them cannot be typed as words; the query is shown as it is.
  if (!words || words.some((word) => word.includes('"') || isPredicate(word))) return undefined;
  return words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
}

/** The parts of a query that all must hold; nothing when it is not well-formed. */
function splitClauses(query: string): string[] | undefined {
  const clauses: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < query.length; at += 1) {
    const character = query[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
    // Where either may hold, no part can be taken out alone.
    else if (depth === 0 && query.startsWith('||', at)) return [query.trim()];
    else if (depth === 0 && query.startsWith('&&', at)) {
      clauses.push(query.slice(start, at).trim());
      start = at + 2;
      at += 1;
    }
    if (depth < 0) return undefined;
  }
  clauses.push(query.slice(start).trim());
  return depth === 0 && !isQuoted && clauses.every((clause) => clause !== '') ? clauses : undefined;
}

/** What stands between two quotes; texts are written as in JSON. */
function unquoted(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}

function distinct(labels: readonly Label[]): Label[] {
  return labels.filter(
    (label, index) => labels.findIndex((other) => other.name === label.name && other.value === label.value) === index,
  );
}
