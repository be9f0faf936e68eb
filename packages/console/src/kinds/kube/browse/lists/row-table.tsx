/** Rows of a cluster as a table: each is opened beside it, and shown to be new or to have changed. */
import type { Column } from '@gatehouse/design/table-head';
import { type RowSource, VirtualTable } from '@gatehouse/design/virtual-table';
import type { ObjectAt, UsedAddress } from '../address.ts';
import { kindSlug } from '../kinds.ts';
import type { RowList, ShownRow } from '../rows/row-store.ts';
import { NothingThere } from './nothing-there.tsx';
import { NAME_SORT } from './shown-rows.ts';

interface RowTableProps<Row extends ShownRow> {
  label: string;
  columns: readonly Column<Row>[];
  source: RowSource<Row>;
  list: RowList;
  used: UsedAddress;
}

const nothing = () => {};

export function RowTable<Row extends ShownRow>({ label, columns, source, list, used }: RowTableProps<Row>) {
  const { address, actions } = used;
  const { search, isTrouble, sort } = address;
  return (
    <VirtualTable
      label={label}
      columns={columns}
      source={source}
      rowKey={({ uid }) => uid}
      onRange={nothing}
      sort={sort ?? { key: NAME_SORT, direction: 'asc' }}
      onSortChange={actions.sortBy}
      onOpenRow={(row) => actions.open(atOf(row))}
      isCurrent={(row) => isAt(row, address.open)}
      isNew={({ mark }) => mark === 'new' || mark === 'changed'}
      loading={!list.isListed}
      empty={<NothingThere list={list} search={search} isTrouble={isTrouble} actions={actions} />}
    />
  );
}

function atOf(row: ShownRow): ObjectAt {
  return { slug: kindSlug(row.kind), namespace: row.namespace, name: row.name };
}

function isAt(row: ShownRow, at: ObjectAt | undefined): boolean {
  return at !== undefined && at.name === row.name && at.namespace === row.namespace && at.slug === kindSlug(row.kind);
}
