/** What stands in the place of applications: the first use, nothing to open, nothing that fits. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Icon } from '@gatehouse/design/icon';
import AppWindow from 'lucide-react/icons/app-window';
import Globe from 'lucide-react/icons/globe';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useWords } from '../words/words.ts';
import styles from './apps.module.css';

/** `onAdd` is left out for those who may not. */
export function NoApps({ onAdd }: { onAdd: (() => void) | undefined }) {
  const t = useWords();
  if (!onAdd) {
    return (
      <EmptyState icon={AppWindow} title={t('apps.empty-not-yours')} className={styles.empty}>
        {t('apps.empty-ask')}
      </EmptyState>
    );
  }
  return (
    <section className={styles.firstUse} aria-labelledby="first-app">
      <h2 id="first-app" className={styles.firstTitle}>
        {t('apps.empty')}
      </h2>
      <p className={styles.firstText}>{t('apps.empty-text')}</p>
      <ol className={styles.firstSteps}>
        {STEPS.map(({ word, icon }) => (
          <li key={word}>
            <Icon of={icon} size={20} className={styles.firstIcon} />
            {t(word)}
          </li>
        ))}
      </ol>
      <Button tone="primary" size="large" icon={Plus} onClick={onAdd}>
        {t('apps.add')}
      </Button>
    </section>
  );
}

const STEPS = [
  { word: 'apps.empty-address', icon: Globe },
  { word: 'apps.empty-check', icon: ShieldCheck },
  { word: 'apps.empty-open', icon: AppWindow },
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
      title={t('apps.no-match')}
      className={styles.empty}
      actions={<Button onClick={onClear}>{t('apps.clear-filter')}</Button>}
    >
      {all !== undefined && t('apps.no-match-text', { count: all })}
    </EmptyState>
  );
}
