/** Reads what a cluster prints of a collection: a Table where it can, or the names alone. Only what is shown is kept of it. */
import { type KubeColumn, type KubeRow, MAX_BROWSE_ROWS } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';

/** Old servers, and some that others have written, know no Table: they answer with objects. */
export const TABLE_ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const MAX_COLUMNS = 64;
const MAX_CELL = 2_048;
const MAX_LABELS = 64;
const MAX_WORD = 512;

const text = (max: number) =>
  z
    .string()
    .catch('')
    .transform((value) => value.slice(0, max));

const metadata = z.object({
  uid: text(MAX_WORD),
  name: text(MAX_WORD),
  namespace: text(MAX_WORD),
  resourceVersion: text(MAX_WORD),
  creationTimestamp: text(MAX_WORD),
  deletionTimestamp: text(MAX_WORD),
  labels: z.record(z.string(), z.string()).catch({}),
  ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).catch([]),
});
type Metadata = z.output<typeof metadata>;

const listMetadata = z
  .object({ resourceVersion: z.string().catch(''), continue: z.string().catch('') })
  .catch({ resourceVersion: '', continue: '' });

const column = z.object({
  name: text(MAX_WORD),
  type: text(MAX_WORD),
  format: text(MAX_WORD),
  priority: z.int().catch(0),
  description: text(1_024),
});

const tableRow = z.object({
  cells: z.array(z.unknown()).catch([]),
  object: z.object({ metadata }).catch({ metadata: metadata.parse({}) }),
});

const tablePage = z.object({
  kind: z.literal('Table'),
  metadata: listMetadata,
  columnDefinitions: z.array(column).nullish(),
  rows: z.array(tableRow).max(MAX_BROWSE_ROWS).nullish(),
});

const objectPage = z.object({
  metadata: listMetadata,
  items: z.array(z.object({ metadata })).max(MAX_BROWSE_ROWS),
});

const oneObject = z.object({ metadata });

/** Where the cluster does not say which. */
const BARE_COLUMNS: readonly KubeColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0, description: '' },
  { name: 'Age', type: 'string', format: '', priority: 0, description: '' },
];

export interface TablePart {
  /** Absent: as before. They come once. */
  columns: readonly KubeColumn[] | undefined;
  rows: KubeRow[];
  /** Of the whole, to go on from. */
  resourceVersion: string;
  continue: string;
}

/** A page of a list, or what a watch says has changed. Nothing where it is neither. */
export function readTable(value: unknown): TablePart | undefined {
  const table = tablePage.safeParse(value).data;
  if (table) {
    const rows = (table.rows ?? []).map(({ cells, object }) => rowOf(object.metadata, cells.slice(0, MAX_COLUMNS)));
    const last = table.rows?.at(-1)?.object.metadata.resourceVersion ?? '';
    return {
      columns: table.columnDefinitions?.length ? table.columnDefinitions.slice(0, MAX_COLUMNS) : undefined,
      rows: rows.filter(({ uid }) => uid !== ''),
      resourceVersion: table.metadata.resourceVersion || last,
      continue: table.metadata.continue,
    };
  }
  const page = objectPage.safeParse(value).data;
  if (page)
    return {
      columns: BARE_COLUMNS,
      rows: page.items.map(({ metadata: each }) => bareRow(each)).filter(({ uid }) => uid !== ''),
      resourceVersion: page.metadata.resourceVersion,
      continue: page.metadata.continue,
    };
  const one = oneObject.safeParse(value).data;
  if (!one) return undefined;
  const rows = one.metadata.uid === '' ? [] : [bareRow(one.metadata)];
  return { columns: undefined, rows, resourceVersion: one.metadata.resourceVersion, continue: '' };
}

function bareRow(of: Metadata): KubeRow {
  return rowOf(of, [of.name, '']);
}

function rowOf(of: Metadata, cells: readonly unknown[]): KubeRow {
  const owner = of.ownerReferences[0];
  return {
    uid: of.uid,
    namespace: of.namespace,
    name: of.name,
    created: of.creationTimestamp,
    labels: Object.fromEntries(
      Object.entries(of.labels)
        .slice(0, MAX_LABELS)
        .map(([key, value]) => [key.slice(0, MAX_WORD), value.slice(0, MAX_WORD)]),
    ),
    owner: owner ? `${owner.kind}/${owner.name}`.slice(0, MAX_WORD) : '',
    isEnding: of.deletionTimestamp !== '',
    cells: cells.map(cellOf),
  };
}

function cellOf(value: unknown): KubeRow['cells'][number] {
  if (typeof value === 'string') return value.slice(0, MAX_CELL);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return value === undefined ? null : JSON.stringify(value).slice(0, MAX_CELL);
}
