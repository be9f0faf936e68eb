/** What a client asks of SQL Server, read from a whole message. */
import { createHash } from 'node:crypto';
import { tsqlTokens } from '@gatehouse/contract/kinds/db/tsql-tokens';
import { malformed } from '../db-failure.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { KEPT_TEXT_BYTES, MAX_VALUES, type StatementText } from '../statement.ts';
import { Fields } from './fields.ts';
import { TYPE } from './packets.ts';
import { NULL, readValue } from './read-values.ts';
import { procedureName } from './tsql.ts';

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
/** Between two calls: the second that the one before it is not run. */
const NEXT: ReadonlySet<number> = new Set([0xff, 0xfe]);
const IS_ENCRYPTED = 8;
const MAX_CALLS = 1_000;
const MAX_NAME_CHARACTERS = 1_100;
const MAX_TOLD_NAMES = 512;
/** However it stands among the values. */
const NAMED_STATEMENT = /^@(?:stmt|statement)$/i;
const SECRET_VALUE = /passw|pwd|secret|private_?key|token/i;
const SECRET_PROCEDURE = /passw|pwd|secret|addlogin|approle|linkedsrvlogin|linkedserver|change_users_login/i;
const HIDDEN = '***';
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
  /** Databases in which it calls procedures. */
  databases: readonly string[];
  /** Why not all of it is read, and so cannot be judged. */
  unread: string;
}

const NOTHING_MORE = { databases: [], unread: '' } as const;

export const BULK: SqlRequest = {
  ...{ what: 'bulk', query: { text: 'BULK LOAD', length: 9 }, procedure: '', values: [], run: [], isPlain: false },
  ...NOTHING_MORE,
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
  return { what: 'batch', query: textOf(text), procedure: '', values: [], run: [text], isPlain: true, ...NOTHING_MORE };
}

function transaction(fields: Fields): SqlRequest {
  const number = fields.uint16();
  const words = TRANSACTIONS[number];
  if (words === undefined) throw malformed(`a request ${number} about transactions`);
  const query = textOf(words);
  return { what: 'transaction', query, procedure: '', values: [], run: [], isPlain: true, ...NOTHING_MORE };
}

/** Several may stand in one message. */
function calls(fields: Fields): SqlRequest {
  const names: string[] = [];
  const shown: string[] = [];
  const run: string[] = [];
  const databases = new Set<string>();
  let [isPlain, hasSecret, unread] = [true, false, ''];
  while (fields.left > 0 && unread === '') {
    if (names.length === MAX_CALLS) {
      unread = `a request of more than ${MAX_CALLS} calls does not pass: send them in several`;
      break;
    }
    const call = oneCall(fields);
    names.push(call.said);
    shown.push(...call.shown.slice(0, MAX_VALUES - shown.length));
    if (call.database !== '') databases.add(call.database);
    if (call.statements.length === 0) isPlain &&= HARMLESS.has(call.name);
    for (const statement of call.statements) run.push(statement);
    hasSecret ||= call.hasSecret;
    unread = call.unread;
  }
  const all = names.join(', ');
  const procedure = all.length > MAX_TOLD_NAMES ? `${all.slice(0, MAX_TOLD_NAMES)}… (${names.length} calls)` : all;
  const text = textOf([`EXEC ${procedure}`, ...run].join(' '));
  const query: StatementText = hasSecret ? { ...text, hasSecret: true } : text;
  return { what: 'rpc', query, procedure, values: shown, run, isPlain, databases: [...databases], unread };
}

interface Call {
  /** As the client names it. */
  said: string;
  /** As the server finds it. */
  name: string;
  database: string;
  shown: string[];
  statements: string[];
  hasSecret: boolean;
  unread: string;
}

function oneCall(fields: Fields): Call {
  const { said, name, database, statement } = calledProcedure(fields);
  const call: Call = { said, name, database, shown: [], statements: [], hasSecret: false, unread: '' };
  // The procedure it calls stands in a text of its own, in whichever database: nothing that drivers need.
  if (name === 'sp_prepexecrpc')
    return { ...call, unread: 'sp_prepexecrpc names what it calls where it is not read: call the procedure itself' };
  fields.take(2);
  for (let count = 0; fields.left > 0; count += 1) {
    const begun = fields.byte();
    if (NEXT.has(begun)) return call;
    const parameter = fields.text(begun);
    const flags = fields.byte();
    const type = fields.peek();
    const value = flags & IS_ENCRYPTED ? undefined : readValue(fields);
    // Where it ends is not known, nor what stands behind it.
    if (!value) {
      const what = flags & IS_ENCRYPTED ? 'that is encrypted' : `of the type 0x${type.toString(16)}`;
      return { ...call, unread: `a value ${what} is not read here, and what is not read does not pass` };
    }
    if (statement !== undefined && (count === statement || NAMED_STATEMENT.test(parameter))) {
      if (value.text === undefined && value.shown !== NULL)
        return { ...call, unread: `${name} is given a statement that is no text, which does not pass` };
      call.statements.push(value.text ?? '');
      continue;
    }
    const isSecret = SECRET_VALUE.test(parameter) || SECRET_PROCEDURE.test(name);
    call.hasSecret ||= isSecret;
    if (call.shown.length < MAX_VALUES) call.shown.push(isSecret ? HIDDEN : value.shown);
  }
  return call;
}

function calledProcedure(fields: Fields) {
  const length = fields.uint16();
  if (length === BY_NUMBER) {
    const known = PROCEDURES[fields.uint16()];
    if (!known?.name) throw malformed('a procedure of a number that nobody has');
    return { said: known.name, name: known.name, database: '', statement: known.statement };
  }
  if (length > MAX_NAME_CHARACTERS) throw malformed(`a procedure with a name of ${length} characters`);
  const said = fields.text(length);
  const found = procedureName(said);
  const name = found.name.toLowerCase();
  const known = name === '' ? undefined : PROCEDURES.find((each) => each.name === name);
  return { said, name, database: found.database, statement: known?.statement };
}

function textOf(whole: string): StatementText {
  const { text, hasSecret } = maskSecrets(whole, tsqlTokens);
  const length = Buffer.byteLength(text);
  const secret = hasSecret ? ({ hasSecret } as const) : {};
  if (length <= KEPT_TEXT_BYTES) return { text, length, ...secret };
  const kept = Buffer.from(text).subarray(0, KEPT_TEXT_BYTES).toString();
  return {
    text: kept,
    length,
    ...secret,
    ...(hasSecret ? {} : { sha256: createHash('sha256').update(whole).digest('hex') }),
  };
}
