/** The documents of a result: read when they are first looked at, and no more of them kept than are. */
import type { MongoDocument, MongoValue } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeLeaf, writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { type Cell, type Row, RowBuffer } from '../workbench/bench/row-buffer.ts';

const MAX_READ = 5_000;
/** Fields that the first documents have are the columns of a table. */
const LOOKED_AT = 200;
const MAX_COLUMNS = 200;

const NONE: MongoDocument = { is: 'document', fields: [] };

export class Documents {
  readonly #rows: RowBuffer;
  readonly #read = new Map<number, MongoDocument>();

  constructor(rows: RowBuffer) {
    this.#rows = rows;
  }

  at(index: number): MongoDocument {
    const known = this.#read.get(index);
    if (known) return known;
    const text = this.#rows.at(index)?.[0];
    if (text === undefined || text === null) return NONE;
    const value = readMongo(text);
    const document = value.is === 'document' ? value : NONE;
    if (this.#read.size >= MAX_READ) this.#read.clear();
    this.#read.set(index, document);
    return document;
  }

  /** How many bytes it has, where not all of it is here. */
  cutAt(index: number): number | undefined {
    return this.#rows.cutAt(index, 0);
  }
}

export interface Table {
  names: readonly string[];
  types: readonly string[];
  rows: RowBuffer;
}

export function tableOf(documents: Documents, count: number): Table {
  const types = new Map<string, Set<string>>();
  for (let index = 0; index < Math.min(count, LOOKED_AT); index += 1)
    for (const { name, value } of documents.at(index).fields) {
      if (!types.has(name) && types.size >= MAX_COLUMNS) continue;
      types.set(name, (types.get(name) ?? new Set()).add(value.is));
    }
  const names = [...types.keys()];
  return {
    names,
    types: names.map((name) => [...(types.get(name) ?? [])].sort().join(', ')),
    rows: new TableRows(documents, names, count),
  };
}

/** A row for each document, made when it is in sight. */
class TableRows extends RowBuffer {
  readonly #documents: Documents;
  readonly #names: readonly string[];

  constructor(documents: Documents, names: readonly string[], count: number) {
    super();
    this.#documents = documents;
    this.#names = names;
    this.count = count;
  }

  override at(index: number): Row | undefined {
    if (index < 0 || index >= this.count) return undefined;
    const { fields } = this.#documents.at(index);
    const values = new Map(fields.map(({ name, value }) => [name, value]));
    return this.#names.map((name) => cellOf(values.get(name)));
  }

  override *rows(): Generator<Row> {
    for (let index = 0; index < this.count; index += 1) yield this.at(index) ?? [];
  }
}

/** A text is itself; what is not there is an empty cell. */
function cellOf(value: MongoValue | undefined): Cell {
  if (value === undefined) return '';
  if (value.is === 'null') return null;
  if (value.is === 'text') return value.text;
  return value.is === 'document' || value.is === 'array' ? writeMongo(value) : writeLeaf(value);
}
