/** What stands in the place of servers: the first use, nothing to reach, nothing that fits. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Icon } from '@gatehouse/design/icon';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Tags from 'lucide-react/icons/tags';
import { useWords } from '../words/words.ts';
import styles from './servers.module.css';

/** `onAdd` is left out for those who may not. */
export function NoServers({ onAdd }: { onAdd: (() => void) | undefined }) {
  const t = useWords();
  if (!onAdd) {
    return (
      <EmptyState icon={Server} title={t('servers.empty-not-yours')} className={styles.empty}>
        {t('servers.empty-ask')}
      </EmptyState>
    );
  }
  return (
    <section className={styles.firstUse} aria-labelledby="first-server">
      <h2 id="first-server" className={styles.firstTitle}>
        {t('servers.empty')}
      </h2>
      <p className={styles.firstText}>{t('servers.empty-text')}</p>
      <ol className={styles.firstSteps}>
        {STEPS.map(({ word, icon }) => (
          <li key={word}>
            <Icon of={icon} size={20} className={styles.firstIcon} />
            {t(word)}
          </li>
        ))}
      </ol>
      <Button tone="primary" size="large" icon={Plus} onClick={onAdd}>
        {t('servers.add')}
      </Button>
    </section>
  );
}

const STEPS = [
  { word: 'servers.empty-label', icon: Tags },
  { word: 'servers.empty-run', icon: SquareTerminal },
  { word: 'servers.empty-join', icon: Server },
] as const;

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
