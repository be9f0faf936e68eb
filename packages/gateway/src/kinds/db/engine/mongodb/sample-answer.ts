/** Reads the beginning of a MongoDB server's answer as rows: the documents of a cursor, or the answer itself. */
import { SAMPLED_ANSWER_BYTES } from '../kept-beginning.ts';
import { KeptRows, SAMPLED_ROW_BYTES } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';
import { BSON, MIN_DOCUMENT_BYTES, valueLength } from './bson.ts';
import { showCommand, showDocument } from './show-command.ts';

/** Of a message, before its fields: which kind of section it is. */
const KIND_BYTES = 1;
const COLUMNS = ['document'];
/** They answer with users, settings, words that others said, or with what proves a password. */
const ANSWERED_WITH_SECRETS: ReadonlySet<string> = new Set([
  'usersinfo',
  'getparameter',
  'getcmdlineopts',
  'getlog',
  'saslstart',
  'saslcontinue',
  'authenticate',
]);
/** Collections of the server itself, as `system.users` and `system.keys`, and what stands in them; whoever may read them may name them in any part of a command. */
const NAMES_SECRETS = /\bsystem\.|SCRAM-SHA-|credentials/i;
/** A view has another name than what it shows. */
const SECRET_MARK = Buffer.from('SCRAM-SHA-');

/** `text`: of the command, as it is shown. What is not there whole could name anything. */
export function asksForSecrets(command: string, { text, hasSecret, isWhole }: AskedText): boolean {
  const name = command.toLowerCase();
  if (hasSecret || ANSWERED_WITH_SECRETS.has(name)) return true;
  return !CHANGES.has(name) && (!isWhole || NAMES_SECRETS.test(text));
}

interface AskedText {
  text: string;
  hasSecret: boolean;
  isWhole: boolean;
}

/** Their answers only count, however long they are, and whatever they hold. */
const CHANGES: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);

/** `beginning`: of an answer that was read and is one, from behind its flags, as far as it is kept; so many bytes stand there. */
export function sampleAnswer(beginning: Buffer, size: number): RowSample | undefined {
  // No server answers with a list of documents beside the answer before it.
  if (beginning[0] !== 0 || beginning.length < KIND_BYTES + MIN_DOCUMENT_BYTES) return undefined;
  if (beginning.includes(SECRET_MARK)) return undefined;
  const body = beginning.subarray(KIND_BYTES, KIND_BYTES + beginning.readInt32LE(KIND_BYTES));
  const isCut = beginning.length < size;
  const rows = new KeptRows();
  rows.columns(COLUMNS);
  const batch = batchIn(body);
  if (batch === undefined) {
    const { text } = showCommand({ body, lists: [] }, SAMPLED_ROW_BYTES);
    rows.row(() => [text], !isCut);
  } else addDocuments(body, batch, rows);
  const sample = rows.take();
  return sample && { ...sample, isCut: isCut || sample.isCut };
}

function addDocuments(body: Buffer, batch: number, rows: KeptRows): void {
  let room = SAMPLED_ANSWER_BYTES;
  for (const { type, value, end } of elementsThere(body, batch)) {
    if (rows.isFull) return;
    if (type !== BSON.document) continue;
    // Lengths inside of it are believed no further than it goes itself.
    const text = showDocument(body.subarray(value, end), Math.min(SAMPLED_ROW_BYTES, room));
    room = Math.max(0, room - text.length);
    rows.row(() => [text], end <= body.length && room > 0);
  }
}

/** Where its documents stand; undefined where it has no cursor, or that is not kept. */
function batchIn(body: Buffer): number | undefined {
  const cursor = find(body, 0, BSON.document, (name) => name === 'cursor');
  if (cursor === undefined) return undefined;
  return find(body, cursor, BSON.array, (name) => name === 'firstBatch' || name === 'nextBatch');
}

function find(bytes: Buffer, at: number, type: number, isMeant: (name: string) => boolean): number | undefined {
  for (const element of elementsThere(bytes, at))
    if (element.type === type && isMeant(element.name)) return element.value;
  return undefined;
}

/** Elements of the document that begins there, as far as they do: the last one may go further than what is kept. */
function* elementsThere(
  bytes: Buffer,
  start: number,
): Generator<{ type: number; name: string; value: number; end: number }> {
  if (start + 4 > bytes.length) return;
  const last = start + bytes.readInt32LE(start) - 1;
  for (let at = start + 4; at < last && at < bytes.length; ) {
    const type = bytes[at] ?? 0;
    const stop = bytes.indexOf(0, at + 1);
    if (stop < 0) return;
    const value = stop + 1;
    const length = valueLength(type, bytes, value, last - value);
    if (length === undefined) return;
    yield { type, name: bytes.toString('utf8', at + 1, stop), value, end: value + length };
    at = value + length;
  }
}
