/** A command as somebody typed it: a document whose first field is the command, and which may name its database. */
import { type MongoDocument, type MongoField, textIn } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { MongoTextError, readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { SqlError } from '../thread/sql-client.ts';

/** The fields of commands that hold a password. */
const SECRETS: ReadonlyMap<string, string> = new Map([
  ['createuser', 'pwd'],
  ['updateuser', 'pwd'],
  ['saslstart', 'payload'],
  ['saslcontinue', 'payload'],
  ['authenticate', 'key'],
]);
const HIDDEN: MongoField['value'] = { is: 'text', text: '***' };

export interface TypedCommand {
  body: MongoDocument;
  database: string;
}

/** Throws in words that say where it is wrong. */
export function readCommand(text: string, usual: string): TypedCommand {
  const value = read(text);
  if (value.is !== 'document' || value.fields.length === 0)
    throw new SqlError('bad_request', 'a command is a document such as { find: "orders" }');
  const fields = value.fields.filter(({ name }) => name !== '$db');
  if (value.fields.length - fields.length > 1) throw new SqlError('bad_request', 'a command names one database');
  if (fields.length === 0) throw new SqlError('bad_request', 'there is no command in it');
  const named = value.fields.length > fields.length;
  const database = named ? textIn(value, '$db') : usual;
  if (database === undefined || database === '') throw new SqlError('bad_request', '$db needs the name of a database');
  return { body: { is: 'document', fields }, database };
}

function read(text: string) {
  try {
    return readMongo(text);
  } catch (error) {
    if (!(error instanceof MongoTextError)) throw error;
    throw new SqlError('bad_request', error.message, { position: error.position });
  }
}

/** As it was typed, where there is no secret in it; what cannot be read is kept by nobody who could not have sent it. */
export function withoutSecrets(text: string): string {
  let value: ReturnType<typeof read>;
  try {
    value = read(text);
  } catch {
    return /pwd|passw|payload/i.test(text) ? '***' : text;
  }
  if (value.is !== 'document') return text;
  const first = value.fields.find(({ name }) => name !== '$db')?.name.toLowerCase() ?? '';
  const secret = SECRETS.get(first);
  if (secret === undefined || !value.fields.some(({ name }) => name === secret)) return text;
  const fields = value.fields.map((field) => (field.name === secret ? { name: secret, value: HIDDEN } : field));
  return writeMongo({ is: 'document', fields });
}
