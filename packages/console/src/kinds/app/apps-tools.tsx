/** Beside the search: how cards are sorted, cards or table, and how fresh it all is. */
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Select } from '@gatehouse/design/select';
import type { Sort } from '@gatehouse/design/table-head';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import List from 'lucide-react/icons/list';
import type { ReactNode } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { Freshness } from '../../shared/resource-list/freshness.tsx';
import { APP_SORT_KEYS } from './app-queries.ts';
import styles from './apps.module.css';

export type View = 'cards' | 'table';

export function useAppsView(): [View, (view: View) => void] {
  const [stored, store] = usePreference('appsView');
  return [stored === 'table' ? 'table' : 'cards', (view) => store(view === 'cards' ? undefined : view)];
}

interface AppsToolsProps {
  /** Of applications that are away. */
  names: ReactNode;
  view: View;
  onView: (view: View) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  updatedAt: number;
  isFetching: boolean;
  onRefresh: () => void;
}

export function AppsTools({ names, view, onView, sort, onSort, ...freshness }: AppsToolsProps) {
  const t = useTranslate();
  const key = APP_SORT_KEYS.find((each) => each === sort.key) ?? APP_SORT_KEYS[0];
  return (
    <div className={styles.toolsEnd}>
      {names}
      <span className={styles.fresh}>
        <Freshness {...freshness} />
      </span>
      {view === 'cards' && (
        <Select
          label={t('apps.sort')}
          labelHidden
          className={styles.sort}
          value={`${key}:${sort.direction}`}
          options={APP_SORT_KEYS.flatMap((each) => [
            { value: `${each}:asc`, label: t(`apps.sort-${each}-asc`) },
            { value: `${each}:desc`, label: t(`apps.sort-${each}-desc`) },
          ])}
          onValueChange={(value) => {
            const [chosen = APP_SORT_KEYS[0], direction] = value.split(':');
            onSort({ key: chosen, direction: direction === 'desc' ? 'desc' : 'asc' });
          }}
        />
      )}
      <SegmentedControl
        label={t('apps.view')}
        value={view}
        onValueChange={onView}
        segments={[
          { value: 'cards', label: t('apps.view-cards'), icon: LayoutGrid },
          { value: 'table', label: t('apps.view-table'), icon: List },
        ]}
      />
    </div>
  );
}
