/** The facets behind a button, where there is no room for them beside the table. */
import { Button } from '@gatehouse/design/button';
import { Popover } from '@gatehouse/design/popover';
import ListFilter from 'lucide-react/icons/list-filter';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './audit.module.css';

export function FiltersButton({ className, children }: { className: string | undefined; children: ReactNode }) {
  const t = useTranslate();
  return (
    <Popover
      label={t('audit.filters')}
      align="start"
      className={styles.filtersPopover}
      trigger={
        <Button icon={ListFilter} className={className}>
          {t('audit.filters')}
        </Button>
      }
    >
      {children}
    </Popover>
  );
}
