/** What a server of MongoDB has in it, level by level, as its user sees it: databases, collections, and of those the fields that some documents have, and indexes. */
import { NODES_AT_ONCE, type TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { fieldOf, type MongoValue, textIn } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import type { Level } from '../thread/dialect.ts';
import { type SqlClient, SqlError } from '../thread/sql-client.ts';
import { groupNode } from '../thread/tree-level.ts';

/** Of an answer that is a list by itself, and of each document that is one of many. */
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_DOCUMENT_BYTES = 64 * 1024;
const MAX_ANSWERS = 20_000;
/** Of all that answers a question of ours: others work in the same thread, and its memory is theirs too. */
const MAX_ASKED_CHARACTERS = 8 * 1024 * 1024;
const SAMPLED = 50;
const SAMPLE_MS = 5_000;
const MAX_FIELDS = 500;
const MAX_FIELD_DEPTH = 4;
/** With those it stands in; longer ones are left out. */
const MAX_FIELD_CHARACTERS = 1_024;
/** What the server answers whom it lets ask for no list. */
const UNAUTHORIZED = '13';
const FIELDS = 'Fields';
const INDEXES = 'Indexes';

export interface TreeTerms {
  /** The one that was opened. */
  database: string;
  /** As roles and the record give them; `*`: all. */
  dbNames: readonly string[];
}

export async function mongoLevel(
  side: SqlClient,
  terms: TreeTerms,
  [database, collection, group]: readonly string[],
  after = '',
): Promise<Level> {
  if (database === undefined) return page(await databases(side, terms), after);
  if (collection === undefined) return page(await collections(side, database), after);
  if (group === FIELDS) return page(await sampledFields(side, database, collection), after, false);
  if (group === INDEXES) return page(await indexes(side, database, collection), after);
  return group === undefined ? { nodes: [FIELDS, INDEXES].map(groupNode) } : { nodes: [] };
}

async function databases(side: SqlClient, { database, dbNames }: TreeTerms): Promise<TreeNode[]> {
  const known = [...new Set([database, ...dbNames.filter((name) => name !== '*')])];
  const named = dbNames.includes('*') ? await listed(side) : undefined;
  const all = new Set([...known, ...(named ?? [])]);
  return [...all].map((name) => ({ name, kind: 'schema', detail: '', isLeaf: false }));
}

async function listed(side: SqlClient): Promise<string[]> {
  try {
    const list = '{ listDatabases: 1, nameOnly: true, $db: "admin" }';
    return await ask(side, list, namesIn, MAX_LIST_BYTES);
  } catch (error) {
    if (error instanceof SqlError && error.code === UNAUTHORIZED) return [];
    throw error;
  }
}

function namesIn(answer: MongoValue): string[] {
  const found = fieldOf(answer, 'databases');
  return found?.is === 'array' ? found.values.flatMap((each) => textIn(each, 'name') ?? []) : [];
}

async function collections(side: SqlClient, database: string): Promise<TreeNode[]> {
  const list = `{ listCollections: 1, nameOnly: true, authorizedCollections: true, $db: ${JSON.stringify(database)} }`;
  return await ask(side, list, (each): TreeNode[] => {
    const name = textIn(each, 'name');
    const isView = textIn(each, 'type') === 'view';
    return name === undefined ? [] : [{ name, kind: isView ? 'view' : 'table', detail: '', isLeaf: false }];
  });
}

async function indexes(side: SqlClient, database: string, collection: string): Promise<TreeNode[]> {
  const [name, place] = [JSON.stringify(collection), JSON.stringify(database)];
  return await ask(side, `{ listIndexes: ${name}, $db: ${place} }`, (each): TreeNode[] => {
    const key = fieldOf(each, 'key');
    const unique = fieldOf(each, 'unique');
    const detail = `${key ? writeMongo(key) : ''}${unique?.is === 'bool' && unique.value ? ' unique' : ''}`;
    const called = textIn(each, 'name');
    return called === undefined ? [] : [{ name: called, kind: 'index', detail, isLeaf: true }];
  });
}

/** Of a few documents: no collection says what its documents have. */
async function sampledFields(side: SqlClient, database: string, collection: string): Promise<TreeNode[]> {
  const [name, place] = [JSON.stringify(collection), JSON.stringify(database)];
  const pipeline = `[{ $sample: { size: ${SAMPLED} } }]`;
  const types = new Map<string, Set<string>>();
  const sample = `{ aggregate: ${name}, pipeline: ${pipeline}, cursor: {}, maxTimeMS: ${SAMPLE_MS}, $db: ${place} }`;
  await ask(side, sample, (each): never[] => {
    gather(each, '', 0, types);
    return [];
  });
  return [...types].map(([path, kinds]) => ({
    ...{ name: path, kind: 'column', detail: [...kinds].sort().join(', '), isLeaf: true },
    ...(path === '_id' ? { isKey: true } : {}),
  }));
}

function gather(value: MongoValue, path: string, depth: number, types: Map<string, Set<string>>): void {
  if (value.is === 'array') {
    for (const each of value.values) if (each.is === 'document') gather(each, path, depth, types);
    return;
  }
  if (value.is !== 'document' || depth > MAX_FIELD_DEPTH) return;
  for (const { name, value: inner } of value.fields) {
    const here = path === '' ? name : `${path}.${name}`;
    if (here.length > MAX_FIELD_CHARACTERS) continue;
    const known = types.get(here);
    if (!known && types.size >= MAX_FIELDS) return;
    types.set(here, (known ?? new Set()).add(inner.is));
    gather(inner, here, depth + 1, types);
  }
}

/** By name, as `after` names the last one that was told. */
function page(nodes: readonly TreeNode[], after: string, isSorted = true): Level {
  const all = isSorted ? [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1)) : [...nodes];
  const from = after === '' ? 0 : isSorted ? firstBehind(all, after) : all.findIndex(({ name }) => name === after) + 1;
  const shown = all.slice(from, from + NODES_AT_ONCE);
  const last = all.length > from + NODES_AT_ONCE ? shown.at(-1)?.name : undefined;
  return { nodes: shown, ...(last === undefined ? {} : { after: last }) };
}

function firstBehind(nodes: readonly TreeNode[], after: string): number {
  const found = nodes.findIndex(({ name }) => name > after);
  return found < 0 ? nodes.length : found;
}

/** Keeps of each document what is taken from it: for questions of our own, whose answers are few. Servers that answer without end are told to stop. */
async function ask<Taken>(
  side: SqlClient,
  text: string,
  take: (document: MongoValue) => readonly Taken[],
  keepBytes = MAX_DOCUMENT_BYTES,
): Promise<Taken[]> {
  const found: Taken[] = [];
  let left = MAX_ASKED_CHARACTERS;
  const row = ([cell]: (string | null)[]) => {
    if (left < 0) return;
    left -= cell?.length ?? 0;
    if (left < 0) void side.cancel().catch(() => {});
    else found.push(...take(readMongo(cell ?? '')));
  };
  try {
    await side.query(
      text,
      { columns() {}, row, room: () => undefined, notice() {} },
      { maxRows: MAX_ANSWERS, keepBytes },
    );
    if (left >= 0) await side.letGo();
  } catch (error) {
    if (left >= 0) throw error;
  }
  if (left < 0) throw new SqlError('too_large', 'the server answered more than can be shown here');
  return found;
}
