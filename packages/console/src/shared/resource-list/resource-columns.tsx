/** What tables of resources have in common: what their columns are told, the labels, and the way in at the end of a row. */
import type { Label } from '@gatehouse/contract/std/labels';
import { LabelChips } from '@gatehouse/design/label-chips';
import type { Column } from '@gatehouse/design/table-head';
import type { ReactNode } from 'react';
import type { ResourceScreen } from './use-resource-screen.ts';

/** `isNarrow`: beside the details there is room for what tells one from another. */
export type ListedOn = Pick<ResourceScreen<unknown>, 'clusterId' | 'isNarrow' | 'isPicked' | 'onPick'>;

export function labelsColumn<T>(
  title: string,
  labelsOf: (row: T) => readonly Label[],
  { isPicked, onPick }: Pick<ListedOn, 'isPicked' | 'onPick'>,
): Column<T> {
  return {
    id: 'labels',
    title,
    card: 'wide',
    overflow: 'visible',
    cell: (row) => <LabelChips labels={labelsOf(row)} isActive={isPicked} onPick={onPick} />,
  };
}

export function connectColumn<T>(title: string, cell: (row: T) => ReactNode): Column<T> {
  return {
    id: 'connect',
    title,
    titleHidden: true,
    align: 'end',
    width: '136px',
    card: 'action',
    overflow: 'visible',
    cell,
  };
}
