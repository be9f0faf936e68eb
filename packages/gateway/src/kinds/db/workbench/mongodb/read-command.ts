/** A command as somebody typed it: a document whose first field is the command, and which may name its database. */
import { type MongoDocument, type MongoField, textIn } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { MongoTextError, readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { isSecretField } from '../../engine/mongodb/secret-fields.ts';
import { SqlError } from '../thread/sql-client.ts';

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
  const hidden = withoutIn(value);
  return hidden === value ? text : writeMongo(hidden);
}

/** The same, where there is no secret in it. */
function withoutIn(command: MongoDocument): MongoDocument {
  const first = command.fields.find(({ name }) => name !== '$db')?.name ?? '';
  let isSame = true;
  const fields = command.fields.map((field) => {
    const value = hiddenIn(first, field);
    if (value !== field.value) isSame = false;
    return { name: field.name, value };
  });
  return isSame ? command : { is: 'document', fields };
}

function hiddenIn(command: string, { name, value }: MongoField): MongoField['value'] {
  // What is explained is a command by itself.
  if (name === command) return name.toLowerCase() === 'explain' && value.is === 'document' ? withoutIn(value) : value;
  return isSecretField(command, name) ? HIDDEN : value;
}
