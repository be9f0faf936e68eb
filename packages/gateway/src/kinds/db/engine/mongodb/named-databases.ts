/** Which databases a command names beside its own: by stages that write or look elsewhere, and by whole names of collections. */
import { malformed } from '../db-failure.ts';
import { BSON, type BsonElement, elementsOf, textOf } from './bson.ts';

/** No server reads deeper ones. */
const MAX_DEPTH = 200;
/** Those with a pipeline, or with a place to put what comes of it. Of others, documents are somebody's own, whatever their fields are called. */
const WITH_STAGES: ReadonlySet<string> = new Set(['aggregate', 'explain', 'mapreduce', 'create', 'collmod']);
/** Their first field is `database.collection`, or a database. */
const OF_WHOLE_NAMES: ReadonlySet<string> = new Set([
  ...['datasize', 'splitvector', 'mediankey', 'checkshardingindex', 'clonecollection', 'cleanuporphaned'],
  ...['renamecollection', 'movecollection', 'shardcollection', 'unshardcollection', 'reshardcollection'],
  ...['abortreshardcollection', 'commitreshardcollection', 'cleanupreshardcollection', 'refinecollectionshardkey'],
  ...['movechunk', 'moverange', 'mergechunks', 'mergeallchunksonshard', 'split', 'clearjumboflag'],
  ...['analyzeshardkey', 'configurequeryanalyzer', 'configurecollectionbalancing', 'balancercollectionstatus'],
  ...['getshardversion', 'getdatabaseversion', 'flushrouterconfig', 'enablesharding', 'moveprimary'],
]);
/** What they do, they may do in any: by operations of others, by a script, or by what is fetched from elsewhere. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'applyops',
  'dotxn',
  'eval',
  '$eval',
  'copydb',
  'clone',
  'validatedbmetadata',
]);
/** Stages, and their field that may name a database; `''`: the stage does so itself. */
const STAGES: ReadonlyMap<string, string> = new Map([
  ['$out', ''],
  ['$merge', 'into'],
  ['$lookup', 'from'],
  ['$graphLookup', 'from'],
  ['$unionWith', ''],
]);
/** How such fields begin where they are documents: as texts, they name a collection of the same database. */
const MARKS = ['$out', 'into', 'from', 'out'].map((name) => Buffer.from(`\x03${name}\0`));
const MAX_MARK_BYTES = Math.max(...MARKS.map(({ length }) => length));

export interface CommandParts {
  command: string;
  body: Buffer;
  lists: readonly { name: string; documents: Buffer }[];
}

/** `any`: it cannot be told. What is named by something else than a text is '', which is nobody's. */
export function databasesNamed({ command, body, lists }: CommandParts): ReadonlySet<string> | 'any' {
  const name = command.toLowerCase();
  if (ANYWHERE.has(name)) return 'any';
  const found = new Set<string>();
  if (OF_WHOLE_NAMES.has(name)) addOwner(found, textOf(body, command));
  if (name === 'renamecollection') addOwner(found, textOf(body, 'to'));
  if (name === 'mapreduce') eachInner(body, 'out', (out) => addTexts(found, out, 'db'));
  if (name === 'bulkwrite') addBulk(found, body, lists);
  if (!WITH_STAGES.has(name)) return found;
  addStages(found, body, 0);
  for (const { documents } of lists) for (const each of documentsIn(documents)) addStages(found, each, 0);
  return found;
}

/** Whether a command that is too long to be held may name others, of which the marks were seen or not. */
export function mayNameOthers(command: string, hasMarks: boolean): boolean {
  const name = command.toLowerCase();
  return ANYWHERE.has(name) || OF_WHOLE_NAMES.has(name) || name === 'bulkwrite' || (WITH_STAGES.has(name) && hasMarks);
}

/** Looks for the marks in bytes as they pass, however they are cut. */
export class MarkSeeker {
  hasFound = false;
  #tail: Buffer = Buffer.alloc(0);

  feed(piece: Buffer): void {
    if (this.hasFound) return;
    const seam = Buffer.concat([this.#tail, piece.subarray(0, MAX_MARK_BYTES)]);
    this.hasFound = MARKS.some((mark) => seam.includes(mark) || piece.includes(mark));
    const end = piece.length < MAX_MARK_BYTES ? seam : piece;
    this.#tail = Buffer.from(end.subarray(Math.max(0, end.length - MAX_MARK_BYTES)));
  }
}

/** Whether the marks tell anything of it; '': it is not known yet what it is. */
export function isSought(command: string): boolean {
  return command === '' || WITH_STAGES.has(command.toLowerCase());
}

/** Of `shop.orders` it is `shop`. */
function addOwner(found: Set<string>, name: string | undefined): void {
  if (name !== undefined) found.add(name.split('.', 1)[0] ?? '');
}

function addStages(found: Set<string>, document: Buffer, depth: number): void {
  if (depth > MAX_DEPTH) throw malformed(`a command of more than ${MAX_DEPTH} levels`);
  for (const element of elementsOf(document)) {
    const inner = innerOf(document, element);
    if (!inner) continue;
    const field = STAGES.get(element.name);
    if (field === '') addTexts(found, inner, 'db');
    else if (field !== undefined) eachInner(inner, field, (named) => addTexts(found, named, 'db'));
    addStages(found, inner, depth + 1);
  }
}

/** All of that name: which of two the server takes is not ours to guess. */
function addTexts(found: Set<string>, document: Buffer, field: string): void {
  for (const { name, type, value, end } of elementsOf(document))
    if (name === field) found.add(type === BSON.string ? document.toString('utf8', value + 4, end - 1) : '');
}

function eachInner(document: Buffer, field: string, take: (inner: Buffer) => void): void {
  for (const element of elementsOf(document)) {
    const inner = element.name === field ? innerOf(document, element) : undefined;
    if (inner) take(inner);
  }
}

/** `nsInfo`: a list of whole names, in the command or beside it. */
function addBulk(found: Set<string>, body: Buffer, lists: CommandParts['lists']): void {
  const add = (info: Buffer) => {
    const names = new Set<string>();
    addTexts(names, info, 'ns');
    for (const name of names) addOwner(found, name);
  };
  eachInner(body, 'nsInfo', (list) => {
    for (const element of elementsOf(list)) {
      const info = innerOf(list, element);
      if (info) add(info);
    }
  });
  for (const { name, documents } of lists) if (name === 'nsInfo') for (const each of documentsIn(documents)) add(each);
}

function innerOf(document: Buffer, { type, value, end }: BsonElement): Buffer | undefined {
  return type === BSON.document || type === BSON.array ? document.subarray(value, end) : undefined;
}

function* documentsIn(documents: Buffer): Generator<Buffer> {
  for (let at = 0; at < documents.length; ) {
    const size = documents.length - at >= 4 ? documents.readInt32LE(at) : 0;
    if (size <= 0 || at + size > documents.length) throw malformed('a list with a document that does not end');
    yield documents.subarray(at, at + size);
    at += size;
  }
}
