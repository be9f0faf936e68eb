/** One collection, as the cluster prints it. */
import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { UsedAddress } from '../address.ts';
import { type KnownKind, kindSlug } from '../kinds.ts';
import type { ListPart, ShownRow } from '../rows/row-store.ts';
import { useRows } from '../use-rows.ts';
import { NameCell, PrintedCell } from './cells.tsx';
import { ListFoot } from './list-foot.tsx';
import { ListProblems } from './list-problems.tsx';
import { RowOrder } from './row-order.ts';
import { RowTable } from './row-table.tsx';
import { AGE_SORT, NAME_SORT, NAMESPACE_SORT, shownRows } from './shown-rows.ts';
import { useRowSource } from './use-row-source.ts';

interface KindListProps {
  kind: KnownKind;
  /** Each is listed by itself; one that is empty is all of them. */
  namespaces: readonly string[];
  used: UsedAddress;
}

/** More do not fit beside the name. */
const MAX_COLUMNS = 7;
const WIDE_COLUMNS: Readonly<Record<string, string>> = { Message: '40%', Object: '18%' };

export function KindList({ kind, namespaces, used }: KindListProps) {
  const t = useTranslate();
  const parts = useMemo(
    (): ListPart[] => (kind.isNamespaced ? namespaces : ['']).map((namespace) => ({ kind, namespace })),
    [kind, namespaces],
  );
  const list = useRows(parts);
  const { search, isTrouble, sort } = used.address;
  const [order] = useState(() => new RowOrder());
  const rows = useMemo(
    () => shownRows(list, { search, isTrouble, sort }, order),
    [list, search, isTrouble, sort, order],
  );
  const source = useRowSource(rows, `${kindSlug(kind)} ${namespaces.join()} ${search} ${isTrouble}`);
  const showsNamespace = kind.isNamespaced && !(namespaces.length === 1 && namespaces[0] !== '');
  const { columns: printed } = list;
  const columns = useMemo(
    () => columnsOf(printed, showsNamespace, t('kube-browse.namespace'), t('kube-browse.name')),
    [printed, showsNamespace, t],
  );
  return (
    <>
      <ListProblems list={list} />
      <RowTable {...{ columns, source, list, used }} label={kind.resource} />
      <ListFoot list={list} shown={rows.length} />
    </>
  );
}

function columnsOf(
  printed: readonly KubeColumn[],
  showsNamespace: boolean,
  namespaceTitle: string,
  nameTitle: string,
): Column<ShownRow>[] {
  const shown = printed
    .map((column, at) => ({ column, at }))
    .filter(({ column }) => column.priority === 0 && column.name !== 'Name')
    .slice(0, MAX_COLUMNS);
  const cards = cardsOf(shown.map(({ column }) => column.name));
  return [
    { id: 'name', title: nameTitle, sortKey: NAME_SORT, width: '28%', cell: (row) => <NameCell row={row} /> },
    ...(showsNamespace
      ? [
          {
            ...{ id: 'namespace', title: namespaceTitle, sortKey: NAMESPACE_SORT, card: 'subtitle' as const },
            cell: ({ namespace }: ShownRow) => namespace,
          },
        ]
      : []),
    ...shown.map(({ column, at }): Column<ShownRow> => {
      const width = WIDE_COLUMNS[column.name];
      return {
        id: column.name,
        title: column.name,
        sortKey: column.name === 'Age' ? AGE_SORT : column.name,
        card: cards.get(column.name) ?? 'none',
        ...(width === undefined ? {} : { width }),
        ...(column.type === 'integer' || column.type === 'number' || column.name === 'Age' ? { align: 'end' } : {}),
        cell: (row) => <PrintedCell row={row} column={column} at={at} />,
      };
    }),
  ];
}

/** A card has room for two of what the cluster prints: how it is, and the first of the others. */
function cardsOf(names: readonly string[]): ReadonlyMap<string, 'start' | 'end'> {
  const end = names.find((name) => name === 'Status') ?? names.find((name) => name === 'Age');
  const start = names.find((name) => name !== end);
  return new Map([
    ...(start === undefined ? [] : [[start, 'start'] as const]),
    ...(end === undefined ? [] : [[end, 'end'] as const]),
  ]);
}
