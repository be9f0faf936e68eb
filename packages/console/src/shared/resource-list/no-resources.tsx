/** What stands in the place of resources: the first use, nothing to reach, nothing that fits. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import { useId } from 'react';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { capture } from '../../platform/telemetry/usage.ts';
import styles from './no-resources.module.css';
import type { ResourceKind } from './resource-kind.ts';
import type { ResourceScreen } from './use-resource-screen.ts';

export interface FirstStep {
  word: WordId;
  icon: IconComponent;
}

/** What it asks of a screen, of whichever resources. */
type EmptyScreen = Pick<ResourceScreen<unknown>, 'isFiltered' | 'add' | 'all' | 'clearFilter'> & {
  kind: Pick<ResourceKind<unknown>, 'words'>;
};

export interface NoResourcesProps {
  screen: EmptyScreen;
  icon: IconComponent;
  /** What there is to do to have the first one. */
  steps: readonly FirstStep[];
}

export function NoResources({ screen, icon, steps }: NoResourcesProps) {
  const t = useTranslate();
  const titleId = useId();
  const { kind, isFiltered, add } = screen;
  if (isFiltered) return <NoMatch screen={screen} />;
  const addFirst = () => {
    capture({ event: 'tp.ui.onboard.addFirstResource.click' });
    add?.();
  };
  if (!add) {
    return (
      <EmptyState icon={icon} title={t(`${kind.words}.empty-not-yours`)} className={styles.empty}>
        {t(`${kind.words}.empty-ask`)}
      </EmptyState>
    );
  }
  return (
    <section className={styles.firstUse} aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.title}>
        {t(`${kind.words}.empty`)}
      </h2>
      <p className={styles.text}>{t(`${kind.words}.empty-text`)}</p>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step.word}>
            <Icon of={step.icon} size={20} className={styles.icon} />
            {t(step.word)}
          </li>
        ))}
      </ol>
      <Button tone="primary" size="large" icon={Plus} onClick={addFirst}>
        {t(`${kind.words}.add`)}
      </Button>
    </section>
  );
}

function NoMatch({ screen: { kind, all, clearFilter } }: { screen: EmptyScreen }) {
  const t = useTranslate();
  return (
    <EmptyState
      icon={SearchX}
      title={t(`${kind.words}.no-match`)}
      className={styles.empty}
      actions={<Button onClick={clearFilter}>{t(`${kind.words}.clear-filter`)}</Button>}
    >
      {all !== undefined && t(`${kind.words}.no-match-text`, { count: all })}
    </EmptyState>
  );
}
