/** Turns filters and search text into the words an event must have, for either engine's index. */
import { cutWords, type MarkedColumn, markedWord } from '../../../platform/storage/event-words.ts';
import type { EventFilter } from './find-query.ts';

/** One of these must be among the event's words. */
export type WantedWord = readonly { word: string; begins: boolean }[];

/** A search of a hundred words is no search. */
const MAX_WORDS = 32;
/** Nearly everything begins with one letter or two. */
const MIN_BEGINNING = 3;

export function wordsWanted(filter: EventFilter): WantedWord[] {
  const marked = (column: MarkedColumn, values: readonly (string | undefined)[]): WantedWord[] => {
    const given = values.filter((value) => value !== undefined);
    return given.length === 0 ? [] : [given.map((value) => ({ word: markedWord(column, value), begins: false }))];
  };
  const plain = (value: string | undefined): WantedWord[] =>
    cutWords(value ?? '').map((word) => [{ word, begins: false }]);
  return [
    ...marked('event', filter.include),
    ...marked('severity', filter.severity.length === 3 ? [] : filter.severity),
    ...marked('user', [filter.user]),
    ...marked('resource_kind', [filter.resourceKind]),
    ...marked('resource_name', [filter.resourceName]),
    ...(filter.code.length === 0 ? [] : [filter.code.flatMap((code) => plain(code).flat())]),
    ...plain(filter.session),
    ...plain(filter.signIn),
    ...plain(filter.address),
    ...plain(filter.requestId),
    ...searched(filter.search),
  ];
}

/** What of the search text is more than words: these must also stand in the event as they were typed. */
export function piecesWanted({ search, requestId }: EventFilter): string[] {
  const typed = spaced(search).map((piece) => piece.replace(/\*$/, ''));
  const pieces = typed.filter((piece) => cutWords(piece).length > 1).map(jsonInside);
  return requestId === undefined ? pieces : [...pieces, `"request_id":"${jsonInside(requestId)}"`];
}

/** True for a search that no event can answer: signs alone, in which there is no word. */
export function isWordless({ search }: EventFilter): boolean {
  return search !== undefined && search.trim() !== '' && cutWords(search).length === 0;
}

/** `kube*` asks for words that begin so; without the star whole words are meant, which is many times quicker. */
function searched(text: string | undefined): WantedWord[] {
  return spaced(text).flatMap((piece) => {
    const words = cutWords(piece);
    const last = words.length - 1;
    const isOpen = piece.endsWith('*');
    return words.map((word, index) => [{ word, begins: isOpen && index === last && word.length >= MIN_BEGINNING }]);
  });
}

function spaced(text: string | undefined): string[] {
  return (text ?? '')
    .split(/\s+/)
    .filter((piece) => piece !== '')
    .slice(0, MAX_WORDS);
}

/** As it stands inside the JSON of the stored event, in lower case. */
function jsonInside(text: string): string {
  return asciiLower(JSON.stringify(text).slice(1, -1));
}

/** What `lower` of both engines does alike. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
