/** The words an audit event is found by, alike in both engines: cut here, so that no engine's own idea of a word matters. */

/** Columns that filters ask for; each is one marked word, so that the index of words does every intersection. */
export interface MarkedColumns {
  event: string;
  code: string;
  severity: string;
  user: string;
  sign_in: string;
  session: string;
  resource_kind: string;
  resource_name: string;
  address: string;
}

/** Marks begin with a letter that no cut word keeps in front of a zero: see `cutWords`. */
const MARKS = { event: 'ev', severity: 'sv', user: 'us', resource_kind: 'rk', resource_name: 'rn' } as const;
export type MarkedColumn = keyof typeof MARKS;

const MAX_WORD = 40;
/** Beyond this an event is found by its beginning only. */
const MAX_WORDS = 2_000;
const SEPARATORS = /[^\p{L}\p{N}]+/u;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const LONG_WORD = /[A-Za-z0-9]{41}/;
/** Characters: in fewer there are not too many words. */
const MAX_UNCUT = 2_000;
const ONE_WORD = /^[a-z0-9]{1,40}$/;

/** The word that stands for a column's value. */
export function markedWord(column: MarkedColumn, value: string): string {
  return `${MARKS[column]}0${Buffer.from(value).toString('hex').slice(0, 200)}`;
}

export function eventWords(row: MarkedColumns, data: unknown): string[] {
  const words = new Set(columnWords(row));
  addValues(words, data);
  return [...words];
}

/** What an event's data say; names of fields are no words. */
export interface Said {
  data: unknown;
  /** Each value behind a space. */
  texts: string;
  /** An index that cuts texts of ASCII finds the same words in them. */
  isCutAlike: boolean;
}

export function saidBy(data: unknown): Said {
  const texts = textsIn(data);
  return { data, texts, isCutAlike: texts.length <= MAX_UNCUT && ASCII.test(texts) && !LONG_WORD.test(texts) };
}

/** The same for an index that cuts texts of ASCII as it is done here: most events then need no cutting twice. */
export function eventText(row: MarkedColumns, { data, texts, isCutAlike }: Said): string {
  return isCutAlike ? columnText(row) + texts : eventWords(row, data).join(' ');
}

/** The same as of both in one. */
export function saidTogether(one: Said, other: Said): Said {
  const texts = one.texts + other.texts;
  const isCutAlike = one.isCutAlike && other.isCutAlike && texts.length <= MAX_UNCUT;
  return { data: [one.data, other.data], texts, isCutAlike };
}

function textsIn(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '' : ` ${value}`;
  if (typeof value === 'number') return ` ${value}`;
  if (typeof value !== 'object' || value === null) return '';
  let text = '';
  for (const inner of Object.values(value)) text += textsIn(inner);
  return text;
}

/** A session's events have them alike, and there may be thousands of those in a second. */
const MAX_KEPT = 1_024;
const kept = new Map<string, { words: readonly string[]; text: string }>();

const columnWords = (row: MarkedColumns) => ofColumns(row).words;
const columnText = (row: MarkedColumns) => ofColumns(row).text;

function ofColumns(row: MarkedColumns): { words: readonly string[]; text: string } {
  const { event, code, severity, user, sign_in, session, resource_kind, resource_name, address } = row;
  // No column has a NUL in it: no store takes one.
  const key = `${event}\0${code}\0${severity}\0${user}\0${sign_in}\0${session}\0${resource_kind}\0${resource_name}\0${address}`;
  const known = kept.get(key);
  if (known) return known;
  const words = new Set<string>();
  for (const column of Object.keys(MARKS) as MarkedColumn[]) {
    if (row[column] !== '') words.add(markedWord(column, row[column]));
  }
  for (const text of [event, code, sign_in, session, address, resource_name]) addWords(words, text);
  if (kept.size >= MAX_KEPT) kept.clear();
  const all = { words: [...words], text: [...words].join(' ') };
  kept.set(key, all);
  return all;
}

/** Lower case, without accents, letters and digits only. */
export function cutWords(text: string): string[] {
  return wordsIn(text).map(cut);
}

const cut = (word: string) => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word);

/** Most texts have ASCII only, and are cut several times quicker without asking what is a letter elsewhere. */
function wordsIn(text: string): readonly string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORDS) ?? [];
  const plain = text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
  return plain
    .toLowerCase()
    .split(SEPARATORS)
    .filter((word) => word !== '');
}

function addWords(words: Set<string>, text: string): void {
  if (text === '') return;
  if (words.size >= MAX_WORDS) return;
  if (ONE_WORD.test(text)) return void words.add(text);
  for (const word of wordsIn(text)) {
    if (words.size >= MAX_WORDS) return;
    words.add(cut(word));
  }
}

/** Values only: every event has a field called `user`, and nobody searches for that. */
function addValues(words: Set<string>, value: unknown): void {
  if (typeof value === 'string') addWords(words, value);
  else if (typeof value === 'number') addNumber(words, value);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addValues(words, inner);
}

/** A whole number is one word as it stands. */
function addNumber(words: Set<string>, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) addWords(words, String(value));
  else if (words.size < MAX_WORDS) words.add(String(value));
}
