/** What a client asks of SQL Server, read from a whole message. */
import { createHash } from 'node:crypto';
import { malformed } from '../db-failure.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { KEPT_TEXT_BYTES, MAX_VALUES, type StatementText } from '../statement.ts';
import { Fields } from './fields.ts';
import { TYPE } from './packets.ts';
import { readValue } from './read-values.ts';
import { tsqlTokens } from './tsql.ts';

/** Those that the protocol has numbers for, and which of their values is a statement. */
const PROCEDURES: readonly { name: string; statement?: number }[] = [
  { name: '' },
  { name: 'sp_cursor' },
  { name: 'sp_cursoropen', statement: 1 },
  { name: 'sp_cursorprepare', statement: 2 },
  { name: 'sp_cursorexecute' },
  { name: 'sp_cursorprepexec', statement: 3 },
  { name: 'sp_cursorunprepare' },
  { name: 'sp_cursorfetch' },
  { name: 'sp_cursoroption' },
  { name: 'sp_cursorclose' },
  { name: 'sp_executesql', statement: 0 },
  { name: 'sp_prepare', statement: 2 },
  { name: 'sp_execute' },
  { name: 'sp_prepexec', statement: 2 },
  { name: 'sp_prepexecrpc' },
  { name: 'sp_unprepare' },
];
/** What only gives back or moves on in what was opened. */
const HARMLESS: ReadonlySet<string> = new Set([
  'sp_cursorunprepare',
  'sp_cursorfetch',
  'sp_cursoroption',
  'sp_cursorclose',
  'sp_execute',
  'sp_unprepare',
]);
const BY_NUMBER = 0xffff;
const NEXT = new Set([0xff, 0xfe, 0x80]);
const TRANSACTIONS: Readonly<Record<number, string>> = {
  5: 'BEGIN TRANSACTION',
  7: 'COMMIT TRANSACTION',
  8: 'ROLLBACK TRANSACTION',
  9: 'SAVE TRANSACTION',
};

export interface SqlRequest {
  what: 'batch' | 'rpc' | 'transaction' | 'bulk';
  query: StatementText;
  /** Of the procedure that is called. */
  procedure: string;
  values: readonly string[];
  /** All texts of it that the server runs; for judging, not for showing. */
  run: readonly string[];
  /** It is all read, and calls nothing but what runs those texts. */
  isPlain: boolean;
}

export const BULK: SqlRequest = {
  ...{ what: 'bulk', query: { text: 'BULK LOAD', length: 9 }, procedure: '', values: [], run: [], isPlain: false },
};

export function readRequest(type: number, payload: Buffer): SqlRequest {
  const fields = new Fields(payload);
  // Before each: of a transaction, of who wants to hear of changes.
  const headers = fields.uint32();
  if (headers < 4) throw malformed('headers that are too short');
  fields.take(headers - 4);
  if (type === TYPE.batch) return batch(fields.take(fields.left).toString('utf16le'));
  return type === TYPE.rpc ? calls(fields) : transaction(fields);
}

function batch(text: string): SqlRequest {
  return { what: 'batch', query: textOf(text), procedure: '', values: [], run: [text], isPlain: true };
}

function transaction(fields: Fields): SqlRequest {
  const number = fields.uint16();
  const words = TRANSACTIONS[number];
  if (words === undefined) throw malformed(`a request ${number} about transactions`);
  return { what: 'transaction', query: textOf(words), procedure: '', values: [], run: [], isPlain: true };
}

/** Several may stand in one message. */
function calls(fields: Fields): SqlRequest {
  const names: string[] = [];
  const shown: string[] = [];
  const run: string[] = [];
  let isPlain = true;
  while (fields.left > 0) {
    const call = oneCall(fields);
    names.push(call.name);
    shown.push(...call.shown.slice(0, MAX_VALUES - shown.length));
    if (call.statement === undefined) isPlain &&= HARMLESS.has(call.name);
    else run.push(call.statement);
    if (call.isWhole) continue;
    isPlain = false;
    break;
  }
  const procedure = names.join(', ');
  const text = textOf([`EXEC ${procedure}`, ...run].join(' '));
  return { what: 'rpc', query: text, procedure, values: shown, run, isPlain };
}

function oneCall(fields: Fields) {
  const length = fields.uint16();
  const known = length === BY_NUMBER ? PROCEDURES[fields.uint16()] : undefined;
  if (length === BY_NUMBER && !known?.name) throw malformed('a procedure of a number that nobody has');
  const name = known?.name ?? fields.text(length);
  const at =
    known?.statement ?? PROCEDURES.find((each) => each.name !== '' && each.name === name.toLowerCase())?.statement;
  fields.take(2);
  const shown: string[] = [];
  let statement: string | undefined;
  for (let count = 0; fields.left > 0; count += 1) {
    const begun = fields.byte();
    if (NEXT.has(begun) && begun !== 0x80) return { name, shown, statement, isWhole: true };
    fields.text(begun);
    fields.take(1);
    const value = readValue(fields);
    // Tables as values, mostly: what follows cannot be found.
    if (!value) return { name, shown: [...shown, '…'], statement, isWhole: false };
    if (count === at) statement = value.text ?? '';
    else if (shown.length < MAX_VALUES) shown.push(value.shown);
  }
  return { name, shown, statement, isWhole: true };
}

function textOf(whole: string): StatementText {
  const { text, hasSecret } = maskSecrets(whole, tsqlTokens);
  const length = Buffer.byteLength(text);
  if (length <= KEPT_TEXT_BYTES) return { text, length };
  const kept = Buffer.from(text).subarray(0, KEPT_TEXT_BYTES).toString();
  return { text: kept, length, ...(hasSecret ? {} : { sha256: createHash('sha256').update(whole).digest('hex') }) };
}
