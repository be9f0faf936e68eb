/** What the stub of MongoDB has in it, and as much of its commands as the workbench asks: they are answered from the documents that are stored. */
import { type Document, Double, Int32, Long, ObjectId } from 'bson';

const FIRST_BATCH = 101;

interface Cursor {
  ns: string;
  rest: Document[];
}

export class StubStore {
  /** By the name of the database and the collection. */
  readonly stored = new Map<string, Document[]>();
  readonly cursors = new Map<string, Cursor>();
  #last = 1_000;

  documents(database: string, collection: string): Document[] {
    const key = `${database}.${collection}`;
    if (!this.stored.has(key)) this.stored.set(key, []);
    return this.stored.get(key)!;
  }

  /** Undefined: no such command. */
  perform(name: string, command: Document): Document | undefined {
    const database = String(command.$db);
    const collection = String(plain(command[name]));
    const documents = () => this.documents(database, collection);
    const matching = (filter: unknown) => documents().filter((each) => matches(each, (filter ?? {}) as Document));
    const cursor = (found: Document[], ns: string, size = command.cursor?.batchSize) =>
      this.#cursor(found, ns, size === undefined ? FIRST_BATCH : Number(plain(size)));
    switch (name) {
      case 'find': {
        const skip = Number(plain(command.skip) ?? 0);
        const limit = Number(plain(command.limit) ?? 0) || undefined;
        const found = sorted(matching(command.filter), command.sort).slice(skip, limit && skip + limit);
        const shown = found.map((each) => projected(each, command.projection));
        return cursor(shown, `${database}.${collection}`, command.batchSize);
      }
      case 'aggregate':
        return cursor(aggregated(documents(), command.pipeline), `${database}.${collection}`);
      case 'count':
        return { n: matching(command.query).length };
      case 'getMore':
        return this.#more(String(plain(command.getMore)), Number(plain(command.batchSize) ?? FIRST_BATCH));
      case 'killCursors':
        for (const id of command.cursors) this.cursors.delete(String(plain(id)));
        return { cursorsKilled: command.cursors };
      case 'insert':
        documents().push(...command.documents);
        return { n: new Int32(command.documents.length) };
      case 'update':
        return this.#update(command.updates, matching);
      case 'delete': {
        const gone = new Set(
          command.deletes.flatMap((each: Document) =>
            matching(each.q).slice(0, Number(plain(each.limit)) || undefined),
          ),
        );
        this.stored.set(
          `${database}.${collection}`,
          documents().filter((each) => !gone.has(each)),
        );
        return { n: new Int32(gone.size) };
      }
      case 'listDatabases':
        return {
          databases: [...new Set([...this.stored.keys()].map((key) => key.split('.')[0]))].map((each) => ({
            name: each,
          })),
        };
      case 'listCollections': {
        const found = [...this.stored.keys()].filter((key) => key.startsWith(`${database}.`));
        const listed = found.map((key) => ({ name: key.slice(database.length + 1), type: 'collection' }));
        return cursor(listed, `${database}.$cmd.listCollections`);
      }
      case 'listIndexes':
        return cursor([{ v: new Int32(2), key: { _id: new Int32(1) }, name: '_id_' }], `${database}.${collection}`);
      default:
        return undefined;
    }
  }

  #cursor(found: Document[], ns: string, size: number) {
    const rest = found.slice(size);
    let id = Long.ZERO;
    if (rest.length > 0) {
      this.#last += 1;
      id = Long.fromNumber(this.#last);
      this.cursors.set(String(this.#last), { ns, rest });
    }
    return { cursor: { firstBatch: found.slice(0, size), id, ns } };
  }

  #more(id: string, size: number) {
    const cursor = this.cursors.get(id);
    if (!cursor) return { ok: 0, code: 43, codeName: 'CursorNotFound', errmsg: `cursor id ${id} not found` };
    const nextBatch = cursor.rest.splice(0, size);
    const isOver = cursor.rest.length === 0;
    if (isOver) this.cursors.delete(id);
    return { cursor: { nextBatch, id: isOver ? Long.ZERO : Long.fromString(id), ns: cursor.ns } };
  }

  #update(updates: Document[], matching: (filter: unknown) => Document[]) {
    let n = 0;
    for (const { q, u, multi } of updates) {
      const found = matching(q);
      for (const each of multi ? found : found.slice(0, 1)) {
        n += 1;
        if (!u.$set && !u.$unset) for (const name of Object.keys(each)) if (name !== '_id') delete each[name];
        for (const [name, value] of Object.entries(u.$set ?? (u.$unset ? {} : u))) each[name] = value;
        for (const name of Object.keys(u.$unset ?? {})) delete each[name];
      }
    }
    return { n: new Int32(n), nModified: new Int32(n) };
  }
}

/** To compare by. */
function plain(value: unknown): unknown {
  if (value instanceof Int32 || value instanceof Double) return value.valueOf();
  if (value instanceof Long) return value.toNumber();
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return value.getTime();
  return value;
}

function at(document: Document, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Document | undefined)?.[name], document);
}

const key = (value: unknown): string => JSON.stringify(value, (_, each) => plain(each)) ?? 'undefined';

function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([path, wanted]) => {
    const value = at(document, path);
    const isQuestion = typeof wanted === 'object' && wanted !== null && Object.keys(wanted)[0]?.startsWith('$');
    return isQuestion
      ? Object.entries(wanted as Document).every(([operator, given]) => holds(operator, value, given))
      : key(value) === key(wanted);
  });
}

function holds(operator: string, value: unknown, given: unknown): boolean {
  const [a, b] = [plain(value) as number, plain(given) as number];
  switch (operator) {
    case '$eq':
      return key(value) === key(given);
    case '$ne':
      return key(value) !== key(given);
    case '$gt':
      return a > b;
    case '$gte':
      return a >= b;
    case '$lt':
      return a < b;
    case '$lte':
      return a <= b;
    case '$in':
      return (given as unknown[]).some((each) => key(each) === key(value));
    case '$exists':
      return (value !== undefined) === Boolean(plain(given));
    default:
      throw new Error(`the stub does not know ${operator}`);
  }
}

function sorted(documents: Document[], by: Document | undefined): Document[] {
  const keys = Object.entries(by ?? {});
  return [...documents].sort((a, b) => {
    for (const [path, way] of keys) {
      const [one, two] = [plain(at(a, path)) as number, plain(at(b, path)) as number];
      if (one !== two) return (one < two ? -1 : 1) * Number(plain(way));
    }
    return 0;
  });
}

function projected(document: Document, projection: Document | undefined): Document {
  const wanted = Object.entries(projection ?? {}).map(([name, value]) => [name, Boolean(plain(value))] as const);
  if (wanted.length === 0) return document;
  const isPicked = wanted.some(([name, isIn]) => isIn && name !== '_id');
  const told = new Map(wanted);
  const entries = Object.entries(document).filter(([name]) => told.get(name) ?? (name === '_id' || !isPicked));
  return Object.fromEntries(entries);
}

function aggregated(documents: Document[], pipeline: Document[]): Document[] {
  return pipeline.reduce<Document[]>((found, stage) => {
    const [name = ''] = Object.keys(stage);
    const given = stage[name];
    if (name === '$match') return found.filter((each) => matches(each, given));
    if (name === '$sort') return sorted(found, given);
    if (name === '$limit' || name === '$sample') return found.slice(0, Number(plain(given.size ?? given)));
    if (name === '$skip') return found.slice(Number(plain(given)));
    if (name === '$project') return found.map((each) => projected(each, given));
    if (name === '$count') return [{ [given]: new Int32(found.length) }];
    if (name === '$group') return grouped(found, given);
    throw new Error(`the stub does not know ${name}`);
  }, documents);
}

/** By one field, with sums. */
function grouped(documents: Document[], { _id, ...sums }: Document): Document[] {
  const groups = new Map<string, { _id: unknown; found: Document[] }>();
  const path = typeof _id === 'string' ? _id.slice(1) : '';
  for (const each of documents) {
    const value = path === '' ? null : at(each, path);
    const group = groups.get(key(value)) ?? { _id: value, found: [] };
    group.found.push(each);
    groups.set(key(value), group);
  }
  const sum = (found: Document[], given: unknown) =>
    found.reduce(
      (all, each) => all + Number(typeof given === 'string' ? plain(at(each, given.slice(1))) : plain(given)),
      0,
    );
  return [...groups.values()].map(({ _id: value, found }) => ({
    _id: value,
    ...Object.fromEntries(Object.entries(sums).map(([name, { $sum }]) => [name, sum(found, $sum)])),
  }));
}
