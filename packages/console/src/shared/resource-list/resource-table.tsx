/** Resources as a table of any length, with the keys that work on it and which of it is in sight underneath. */
import { TableFoot } from '@gatehouse/design/table-foot';
import { VirtualTable, type VirtualTableProps } from '@gatehouse/design/virtual-table';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import { LIST_KEYS } from './list-keys.ts';
import { RangeWords } from './range-words.tsx';
import type { ResourceScreen } from './use-resource-screen.ts';

interface ResourceTableProps<T> {
  screen: ResourceScreen<T>;
  columns: VirtualTableProps<T>['columns'];
  /** What works here, in the kind's own words for it. */
  keys: readonly (keyof typeof LIST_KEYS)[];
  /** In the place of all of it where there is nothing at all; in the place of rows where nothing was found. */
  empty: ReactNode;
}

export function ResourceTable<T>({ screen, columns, keys, empty }: ResourceTableProps<T>) {
  const t = useTranslate();
  const { kind, address, actions, rows } = screen;
  const label = t(useKinds()[kind.kind].screen.title);
  if (screen.isEmpty) return empty;
  return (
    <>
      <VirtualTable
        label={label}
        columns={columns}
        source={rows.source}
        rowKey={kind.rowKey}
        onRange={screen.onRange}
        sort={address.sort}
        onSortChange={actions.sortBy}
        onOpenRow={(row) => actions.open(kind.rowKey(row))}
        isCurrent={(row) => kind.rowKey(row) === address.open}
        isNew={rows.isNew}
        loading={rows.isPending}
        refreshing={rows.isFetching}
        empty={empty}
      />
      <TableFoot keys={keys.map((key) => ({ keys: LIST_KEYS[key], word: t(`${kind.words}.key-${key}`) }))}>
        <RangeWords inSight={screen.inSight} count={rows.source.count} />
      </TableFoot>
    </>
  );
}
