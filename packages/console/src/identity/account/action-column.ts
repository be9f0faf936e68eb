/** The last column of a table of one's account: what can be done with a row. */
import type { Column } from '@gatehouse/design/table-head';

export function actionColumn(title: string) {
  return {
    id: 'action',
    title,
    titleHidden: true,
    align: 'end',
    width: '120px',
    card: 'action',
    overflow: 'visible',
  } as const satisfies Omit<Column<never>, 'cell'>;
}
