/** What stands in the place of servers: the first use, nothing to reach, nothing that fits. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import Server from 'lucide-react/icons/server';
import { useWords } from '../words/words.ts';
import styles from './servers.module.css';

/** `onAdd` is left out for those who may not. */
export function NoServers({ onAdd }: { onAdd?: () => void }) {
  const t = useWords();
  if (!onAdd) {
    return (
      <EmptyState icon={Server} title={t('servers.empty-not-yours')} className={styles.empty}>
        {t('servers.empty-ask')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Server}
      title={t('servers.empty')}
      className={styles.empty}
      actions={
        <Button tone="primary" size="large" icon={Plus} onClick={onAdd}>
          {t('servers.add')}
        </Button>
      }
    >
      {t('servers.empty-text')}
    </EmptyState>
  );
}

interface NoMatchProps {
  /** How many there are without the filter, once it is known. */
  all: number | undefined;
  onClear: () => void;
}

export function NoMatch({ all, onClear }: NoMatchProps) {
  const t = useWords();
  return (
    <EmptyState
      icon={SearchX}
      title={t('servers.no-match')}
      className={styles.empty}
      actions={<Button onClick={onClear}>{t('servers.clear-filter')}</Button>}
    >
      {all !== undefined && t('servers.no-match-text', { count: all })}
    </EmptyState>
  );
}
