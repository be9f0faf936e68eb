/** The entries a user has, under their headings. While they are not known, the place they will take. */
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useDelay } from '@gatehouse/design/use-delay';
import { PathLink, useCurrentPage } from '../../address/address.tsx';
import { useWords, type WordId } from '../../words/words.ts';
import type { Category, Section } from '../navigation.ts';
import styles from './navigation-list.module.css';
import { type FilledEntry, useEntries } from './use-entries.ts';

const HEADINGS: readonly { category: Category; heading: WordId; sections: readonly (Section | undefined)[] }[] = [
  { category: 'resources', heading: 'shell.resources', sections: [undefined] },
  { category: 'management', heading: 'shell.management', sections: ['access', 'activity', 'clusters'] },
];

const SECTION_WORDS: Record<Section, WordId> = {
  access: 'shell.access',
  activity: 'shell.activity',
  clusters: 'shell.clusters',
};

interface NavigationListProps {
  onFollow?: () => void;
}

export function NavigationList({ onFollow }: NavigationListProps) {
  const t = useWords();
  const entries = useEntries();
  if (!entries) return <NavigationSkeleton />;
  const listed = entries.filter((entry) => entry.category !== 'top-menu');
  if (listed.length === 0) {
    return (
      <div className={styles.scroll}>
        <p className={styles.empty}>{t('shell.nothing-to-see')}</p>
      </div>
    );
  }
  return (
    <div className={styles.scroll}>
      {HEADINGS.map(({ category, heading, sections }) => {
        const inCategory = listed.filter((entry) => entry.category === category);
        if (inCategory.length === 0) return null;
        return (
          <section key={category} aria-label={t(heading)}>
            <h2 className={styles.category}>{t(heading)}</h2>
            {sections.map((section) => (
              <NavigationSection
                key={section ?? ''}
                section={section}
                entries={inCategory.filter((entry) => entry.section === section)}
                onFollow={onFollow}
              />
            ))}
          </section>
        );
      })}
    </div>
  );
}

interface NavigationSectionProps extends NavigationListProps {
  section: Section | undefined;
  entries: readonly FilledEntry[];
}

function NavigationSection({ section, entries, onFollow }: NavigationSectionProps) {
  const t = useWords();
  const current = useCurrentPage();
  if (entries.length === 0) return null;
  return (
    <>
      {section && <h3 className={styles.section}>{t(SECTION_WORDS[section])}</h3>}
      <ul className={styles.entries}>
        {entries.map((entry) => (
          <li key={entry.page}>
            <PathLink
              path={entry.path}
              className={classNames(styles.entry, current?.name === entry.page && styles.current)}
              title={t(entry.label)}
              aria-current={current?.name === entry.page ? 'page' : undefined}
              onClick={onFollow}
            >
              <Icon of={entry.icon} />
              <span className={styles.word}>{t(entry.label)}</span>
            </PathLink>
          </li>
        ))}
      </ul>
    </>
  );
}

const WIDTHS = [64, 88, 80, 72, 72, 104];

function NavigationSkeleton() {
  const isShown = useDelay('short');
  return (
    <div className={styles.scroll} aria-hidden="true">
      {isShown &&
        WIDTHS.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change
          <div key={index} className={styles.entry}>
            <Skeleton width={16} height={16} radius={4} />
            <span className={styles.word}>
              <Skeleton width={width} />
            </span>
          </div>
        ))}
    </div>
  );
}
