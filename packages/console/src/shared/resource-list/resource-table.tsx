/** Resources as a table of any length, with the keys that work on it and which of it is in sight underneath. */
import { TableFoot } from '@gatehouse/design/table-foot';
import { VirtualTable, type VirtualTableProps } from '@gatehouse/design/virtual-table';
import type { ReactNode } from 'react';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import { LIST_KEYS } from './list-keys.ts';
import { RangeWords } from './range-words.tsx';
import type { ResourceScreen } from './use-resource-screen.ts';

/** In the order in which they are written under the list. */
const SHOWN = ['move', 'act', 'login', 'details', 'quick', 'all'] as const;
/** What they do for every kind. */
const EVERYWHERE = {
  move: 'resource-list.key-move',
  details: 'resource-list.key-details',
  all: 'resource-list.key-all',
} as const;

interface ResourceTableProps<T> {
  screen: ResourceScreen<T>;
  columns: VirtualTableProps<T>['columns'];
  /** What the keys do here that do something else for each kind. */
  keys: Partial<Record<Exclude<(typeof SHOWN)[number], keyof typeof EVERYWHERE>, WordId>>;
  /** In the place of all of it where there is nothing at all; in the place of rows where nothing was found. */
  empty: ReactNode;
}

export function ResourceTable<T>({ screen, columns, keys, empty }: ResourceTableProps<T>) {
  const t = useTranslate();
  const { kind, address, actions, rows } = screen;
  const label = t(useKinds()[kind.kind].screen.title);
  if (screen.isEmpty) return empty;
  const words: Partial<Record<(typeof SHOWN)[number], WordId>> = { ...EVERYWHERE, ...keys };
  const hints = SHOWN.flatMap((key) => {
    const word = words[key];
    return word ? [{ keys: LIST_KEYS[key], word: t(word) }] : [];
  });
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
      <TableFoot keys={hints}>
        <RangeWords inSight={screen.inSight} count={rows.source.count} />
      </TableFoot>
    </>
  );
}
