/** What lists know of each kind beside names and labels: which columns it is sorted by, and what a search finds it by. */
import { soleAddress } from '@gatehouse/contract/kinds/app/app-spec';
import { dbServerKeys, dbTitleOf } from '@gatehouse/contract/kinds/db/db-spec';
import { factsOf, type KINDS, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';

/** Columns of `resource` that have an order; what the last two hold differs by kind. */
export type SortColumn = 'id' | 'name' | 'second_key' | 'third_key';

interface SoleAddress {
  /** Of its spec. */
  field: string;
  /** What two have in common that are at the same address; none where that does no harm. */
  keys(address: string, spec: unknown): readonly string[];
  /** What came of it otherwise. */
  harm: string;
}

interface Fields<Sort extends string> {
  sortBy: Readonly<Record<Sort, SortColumn>>;
  /** Fields of its spec that fill the columns; the third holds its public host, where it has one. */
  second?: string;
  third?: string | ((spec: unknown) => string);
  /** Further fields of its spec that a search looks in; the two above are looked in anyway. */
  searched?: readonly string[];
  /** Two of different owners must not be dialled at one and the same address. */
  sole?: SoleAddress;
  /** Whole words that find it though they stand nowhere in it. */
  foundBy?(spec: unknown): readonly SpecialWord[];
}

/** Each has a sign that no text contains: put in as words, they would also be found by a part of them. */
export const SPECIAL_WORDS = { tunnel: '\u0001', cloud: '\u0002', 'cloud sql': '\u0003' } as const;
type SpecialWord = keyof typeof SPECIAL_WORDS;

const MAX_KEY_LENGTH = 256;

const KIND_FIELDS: { readonly [K in Kind]: Fields<(typeof KINDS)[K]['sortable'][number]> } = {
  node: {
    sortBy: { name: 'id', hostname: 'name', address: 'second_key' },
    second: 'addr',
    foundBy: (spec) => (textIn(spec, 'type') === 'agent' || textIn(spec, 'through') !== '' ? ['tunnel'] : []),
  },
  app: {
    sortBy: { name: 'name', description: 'second_key', publicAddress: 'third_key' },
    second: 'description',
    third: 'publicAddr',
    sole: {
      field: 'uri',
      keys: (uri) => [soleAddress(uri)].filter((key) => key !== undefined),
      harm: 'identity tokens for the one would be good for the other',
    },
  },
  kube: { sortBy: { name: 'name' } },
  db: {
    sortBy: { name: 'name', description: 'second_key', type: 'third_key' },
    second: 'description',
    third: (spec) => dbTitleOf(textIn(spec, 'uri'), spec),
    searched: ['protocol'],
    sole: { field: 'uri', keys: dbServerKeys, harm: 'who may sign in to the one could sign in to the other' },
  },
  desktop: { sortBy: { name: 'name', address: 'second_key' }, second: 'addr' },
};

/** A kind of which nothing is said here is listed by its name. */
const BY_NAME: Fields<'name'> = { sortBy: { name: 'name' } };

function fieldsOf(kind: Kind): (typeof KIND_FIELDS)[Kind] {
  return KIND_FIELDS[kind] ?? BY_NAME;
}

export function isShared(kind: Kind): boolean {
  return factsOf(kind).shared !== undefined;
}

/** Those of the kind have public hosts. */
export function hasHosts(kind: Kind): boolean {
  return factsOf(kind).shared?.hosts === true;
}

/** Empty where it has none. */
export function publicHost(kind: Kind, spec: unknown): string {
  return hasHosts(kind) ? sortKeys(kind, spec).third_key : '';
}

/** Whether it matters at all who is dialled where. */
export function hasSoleAddresses(kind: Kind): boolean {
  return fieldsOf(kind).sole !== undefined;
}

/** The address that nobody else's may be dialled at, as it is written and as it is compared; undefined where that does not matter. */
export function soleAddressOf(
  kind: Kind,
  spec: unknown,
): { address: string; keys: readonly string[]; harm: string } | undefined {
  const { sole } = fieldsOf(kind);
  if (!sole) return undefined;
  const address = textIn(spec, sole.field);
  const keys = sole.keys(address, spec);
  return keys.length === 0 ? undefined : { address, keys, harm: sole.harm };
}

export function sharedKinds(): Kind[] {
  return kinds.filter(isShared);
}

/** `undefined` for a field it cannot be sorted by. */
export function sortColumn(kind: Kind, field: string): SortColumn | undefined {
  const columns: Readonly<Record<string, SortColumn>> = fieldsOf(kind).sortBy;
  return Object.hasOwn(columns, field) ? columns[field] : undefined;
}

/** Everything it can be sorted by, and what it comes by when nobody says. */
export function sortColumns(kind: Kind): SortColumn[] {
  return [...new Set<SortColumn>(['name', ...Object.values<SortColumn>(fieldsOf(kind).sortBy)])];
}

/** Cut, because an index cannot hold texts of any length. */
export function sortKeys(kind: Kind, spec: unknown): { second_key: string; third_key: string } {
  const { second, third } = fieldsOf(kind);
  const key = (field: Fields<string>['third']) => keyIn(spec, field).slice(0, MAX_KEY_LENGTH);
  return { second_key: key(second), third_key: key(third) };
}

export function searchedTexts(kind: Kind, spec: unknown): string[] {
  const { second, third, searched = [] } = fieldsOf(kind);
  return [second, third, ...searched].flatMap((field) => keyIn(spec, field) || []);
}

export function specialSigns(kind: Kind, spec: unknown): string {
  return (fieldsOf(kind).foundBy?.(spec) ?? []).map((word) => SPECIAL_WORDS[word]).join('');
}

/** The sign of a word that is more than its letters. */
export function signOf(word: string): string | undefined {
  return Object.hasOwn(SPECIAL_WORDS, word) ? SPECIAL_WORDS[word as SpecialWord] : undefined;
}

/** Of a field, or of what follows from several. */
function keyIn(spec: unknown, field: Fields<string>['third']): string {
  if (typeof field === 'function') return field(spec);
  return field ? textIn(spec, field) : '';
}

function textIn(spec: unknown, field: string): string {
  const value: unknown =
    typeof spec === 'object' && spec !== null ? Object.getOwnPropertyDescriptor(spec, field)?.value : undefined;
  return typeof value === 'string' ? value : '';
}
