/** What a client asks a MySQL server, from its packets. */
import { malformed } from '../db-failure.ts';
import { maskSecrets, mayHoldSecret } from '../mask-secrets.ts';
import type { StatementText } from '../statement.ts';
import { FieldReader } from './field-reader.ts';
import { HALF } from './named-in-text.ts';
import type { ReadPacket } from './packet-reader.ts';

/** The longest that a server takes, in bytes, is 256. */
const MAX_NAME_CHARACTERS = 256;

export type ClientCommand =
  | { what: 'query' | 'prepare'; query: StatementText }
  | { what: 'execute' | 'bulkExecute'; statement: number; values: readonly string[] }
  | { what: 'sendLongData'; statement: number; parameter: number; size: number }
  | { what: 'closeStatement' | 'resetStatement'; statement: number }
  | { what: 'fetch'; statement: number; rows: number }
  | { what: 'useDatabase' | 'createDatabase' | 'dropDatabase'; database: string }
  | { what: 'refresh'; subcommand: string }
  | { what: 'processKill'; process: number }
  | { what: 'shutDown' | 'debug' }
  /** Does not pass. */
  | { what: 'refused'; command: string }
  | { what: 'fieldList'; table: string }
  | { what: 'resetConnection' }
  /** Nobody is told of it: a ping, numbers of the server. */
  | { what: 'other' };

const REFRESHED = ['grants', 'logs', 'tables', 'hosts', 'status', 'threads', 'replica', 'binary logs'];

/** `values`: of what is executed, which only who knows the statement can read. */
export function readCommand(
  name: string,
  { body, length, sha256 }: ReadPacket,
  {
    backslashes,
    values,
  }: { backslashes: boolean; values: (fields: FieldReader, statement: number) => readonly string[] },
): ClientCommand {
  const fields = new FieldReader(body.subarray(1));
  switch (name) {
    case 'query':
    case 'prepare':
      return { what: name, query: statementText(fields.rest().toString('utf8'), length - 1, sha256, backslashes) };
    case 'execute':
    case 'bulkExecute': {
      const statement = fields.number(4);
      return { what: name, statement, values: values(fields, statement) };
    }
    case 'sendLongData':
      return { what: name, statement: fields.number(4), parameter: fields.number(2), size: length - body.length };
    case 'closeStatement':
    case 'resetStatement':
      return { what: name, statement: fields.number(4) };
    case 'fetch':
      return { what: name, statement: fields.number(4), rows: fields.number(4) };
    case 'useDatabase':
    case 'createDatabase':
    case 'dropDatabase':
      return { what: name, database: databaseName(body, length) };
    case 'refresh': {
      const bits = fields.number(1);
      return { what: name, subcommand: REFRESHED.filter((_, at) => (bits >> at) & 1).join(', ') };
    }
    case 'processKill':
      return { what: name, process: fields.number(4) };
    case 'fieldList':
      return { what: name, table: tableName(body) };
    case 'shutDown':
    case 'resetConnection':
    case 'debug':
      return { what: name };
    default:
      return { what: 'other' };
  }
}

/** Some clients end it with a zero. */
export function databaseName(body: Buffer, length: number): string {
  const name = body.toString('utf8', 1, body.at(-1) === 0 ? body.length - 1 : body.length);
  if (length > body.length || name.length > MAX_NAME_CHARACTERS || name.includes('\0'))
    throw malformed('a name of a database that is none');
  return name;
}

/** Behind it stands what its columns are to be like. */
function tableName(body: Buffer): string {
  const end = body.indexOf(0, 1);
  return body.toString('utf8', 1, end < 0 ? body.length : end).slice(0, MAX_NAME_CHARACTERS);
}

function statementText(whole: string, length: number, sha256: string | undefined, backslashes: boolean): StatementText {
  // Where its texts end is not known: nothing of it is told that may hold a secret.
  if (whole.includes(HALF) && mayHoldSecret(whole)) return { text: "'***'", length, hasSecret: true };
  const { text, hasSecret } = maskSecrets(whole, { backslashes, isMysql: true });
  if (hasSecret) return { text, length, hasSecret };
  return { text, length, ...(sha256 === undefined ? {} : { sha256 }) };
}

/** Without what was told when it was asked: a text waits once, and short. */
export function slim(command: ClientCommand): ClientCommand {
  if (command.what === 'query' || command.what === 'prepare')
    return { ...command, query: { ...command.query, text: '', length: 0 } };
  return command.what === 'execute' || command.what === 'bulkExecute' ? { ...command, values: [] } : command;
}
