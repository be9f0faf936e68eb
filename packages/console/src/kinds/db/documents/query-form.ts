/** A command as fields: which collection, what is looked for, how it is sorted. Its text is what is run, kept and saved. */
import { type MongoValue, textIn } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { MongoTextError, type PlacedField, readFields, readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';

export const QUERY_MODES = ['find', 'aggregate', 'command'] as const;
export type QueryMode = (typeof QUERY_MODES)[number];

/** As they were typed. */
export interface QueryForm {
  mode: QueryMode;
  database: string;
  collection: string;
  filter: string;
  projection: string;
  sort: string;
  limit: string;
  skip: string;
  pipeline: string;
  command: string;
}

/** What stands in the editor, by the mode. */
export const MAIN_FIELD = { find: 'filter', aggregate: 'pipeline', command: 'command' } as const satisfies Record<
  QueryMode,
  keyof QueryForm
>;

const USUAL_LIMIT = '50';
const FIND_FIELDS: ReadonlySet<string> = new Set(['find', 'filter', 'projection', 'sort', 'limit', 'skip', '$db']);
const AGGREGATE_FIELDS: ReadonlySet<string> = new Set(['aggregate', 'pipeline', 'cursor', '$db']);

export function emptyForm(database: string): QueryForm {
  return {
    ...{ mode: 'find', database, collection: '', filter: '', projection: '', sort: '', limit: USUAL_LIMIT, skip: '' },
    ...{ pipeline: '', command: '' },
  };
}

export function textOfForm(form: QueryForm): string {
  if (form.mode === 'command') return form.command;
  const { database, collection, filter, projection, sort, limit, skip, pipeline } = form;
  const written = form.mode === 'find' ? [filter, projection, sort, skip] : [pipeline];
  if (collection === '' && written.every((text) => text.trim() === '')) return '';
  const parts: [name: string, text: string][] =
    form.mode === 'find'
      ? [
          ['find', JSON.stringify(collection)],
          ['filter', filter],
          ['projection', projection],
          ['sort', sort],
          ['limit', limit],
          ['skip', skip],
        ]
      : [
          ['aggregate', JSON.stringify(collection)],
          ['pipeline', pipeline.trim() === '' ? '[]' : pipeline],
          ['cursor', '{}'],
        ];
  const fields = [...parts, ['$db', JSON.stringify(database)] as const].filter(([, text]) => text.trim() !== '');
  // A comment at the end of a field ends with its line, not with the command.
  return `{ ${fields.map(([name, text]) => `${name}: ${text.trim()}${text.includes('//') ? '\n' : ''}`).join(', ')} }`;
}

/** The fields of a text that has no others; else it is a command as it stands. */
export function formOfText(text: string, database: string): QueryForm {
  const empty = emptyForm(database);
  if (text.trim() === '') return empty;
  const raw: QueryForm = { ...empty, mode: 'command', command: text };
  let fields: PlacedField[];
  try {
    fields = readFields(text);
  } catch (error) {
    if (!(error instanceof MongoTextError)) throw error;
    return raw;
  }
  const mode = fields[0]?.name;
  const known = mode === 'find' ? FIND_FIELDS : AGGREGATE_FIELDS;
  if ((mode !== 'find' && mode !== 'aggregate') || !fields.every(({ name }) => known.has(name))) return raw;
  if (new Set(fields.map(({ name }) => name)).size < fields.length) return raw;
  const whole: MongoValue = { is: 'document', fields };
  const collection = textIn(whole, mode);
  const named = fields.some(({ name }) => name === '$db') ? textIn(whole, '$db') : database;
  const cursor = fields.find(({ name }) => name === 'cursor')?.value;
  if (collection === undefined || named === undefined) return raw;
  if (mode === 'aggregate' && (cursor?.is !== 'document' || cursor.fields.length > 0)) return raw;
  const at = (name: string) => {
    const field = fields.find((each) => each.name === name);
    return field ? text.slice(field.from, field.to) : '';
  };
  const found: QueryForm = { ...empty, mode, database: named, collection };
  return mode === 'find'
    ? {
        ...found,
        ...{ filter: at('filter'), projection: at('projection'), sort: at('sort') },
        ...{ limit: at('limit'), skip: at('skip') },
      }
    : { ...found, pipeline: at('pipeline') };
}

export type WrongField = { field: keyof QueryForm; message: string; position: number };

/** The first field that cannot be read, or is not what it must be. */
export function wrongIn(
  form: QueryForm,
  words: { needsDocument: string; needsList: string; needsNumber: string; needsCollection: string },
): WrongField | undefined {
  if (form.mode === 'command') return wrongText(form.command, 'command', 'document', words.needsDocument);
  if (form.collection.trim() === '') return { field: 'collection', message: words.needsCollection, position: 0 };
  if (form.mode === 'aggregate') return wrongText(form.pipeline, 'pipeline', 'array', words.needsList);
  for (const field of ['filter', 'projection', 'sort'] as const) {
    const wrong = wrongText(form[field], field, 'document', words.needsDocument);
    if (wrong) return wrong;
  }
  for (const field of ['limit', 'skip'] as const)
    if (!/^\d{0,9}$/.test(form[field].trim())) return { field, message: words.needsNumber, position: 0 };
  return undefined;
}

function wrongText(
  text: string,
  field: keyof QueryForm,
  is: MongoValue['is'],
  message: string,
): WrongField | undefined {
  if (text.trim() === '') return field === 'command' ? { field, message, position: 0 } : undefined;
  try {
    return readMongo(text).is === is ? undefined : { field, message, position: 0 };
  } catch (error) {
    if (!(error instanceof MongoTextError)) throw error;
    return { field, message: error.message, position: error.position };
  }
}

/** The same question, answered by a number. */
export function countText({ collection, filter, database }: QueryForm): string {
  const query = filter.trim() === '' ? '{}' : filter.trim();
  return `{ count: ${JSON.stringify(collection)}, query: ${query}${query.includes('//') ? '\n' : ''}, $db: ${JSON.stringify(database)} }`;
}

/** Whether it can be run once more for a file without anything happening twice. */
export function isReading(text: string): boolean {
  const { mode, pipeline } = formOfText(text, '');
  return mode === 'find' || (mode === 'aggregate' && !/\$(?:out|merge)\b/.test(pipeline));
}
