/** The entries a user has, under their headings. While they are not known, the place they will take. */
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useDelay } from '@gatehouse/design/use-delay';
import { formatNumber } from '../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { PathLink, useCurrentPage } from '../../platform/routing/routing.tsx';
import { entryPage, groupEntries, type Heading, type Section } from '../navigation.ts';
import styles from './navigation-list.module.css';
import { useClusterId } from './use-cluster-id.ts';
import { type FilledEntry, useEntries } from './use-entries.ts';

const HEADING_WORDS: Record<Heading, WordId> = {
  resources: 'shell.resources',
  management: 'shell.management',
};

const SECTION_WORDS: Record<Section, WordId> = {
  access: 'shell.access',
  activity: 'shell.activity',
  clusters: 'shell.clusters',
};

interface NavigationListProps {
  onFollow?: () => void;
}

export function NavigationList({ onFollow }: NavigationListProps) {
  const t = useTranslate();
  const entries = useEntries();
  if (!entries) return <NavigationSkeleton />;
  const groups = groupEntries(entries);
  return (
    <div className={styles.scroll}>
      {groups.length === 0 && <p className={styles.empty}>{t('shell.nothing-to-see')}</p>}
      {groups.map(({ heading, sections }) => (
        <section key={heading} aria-label={t(HEADING_WORDS[heading])}>
          <h2 className={styles.category}>{t(HEADING_WORDS[heading])}</h2>
          {sections.map(({ section, entries: inSection }) => (
            <NavigationSection key={section ?? ''} section={section} entries={inSection} onFollow={onFollow} />
          ))}
        </section>
      ))}
    </div>
  );
}

interface NavigationSectionProps extends NavigationListProps {
  section: Section | undefined;
  entries: readonly FilledEntry[];
}

function NavigationSection({ section, entries, onFollow }: NavigationSectionProps) {
  const t = useTranslate();
  const page = useCurrentPage()?.name;
  const current = page && entryPage(page);
  return (
    <>
      {section && <h3 className={styles.section}>{t(SECTION_WORDS[section])}</h3>}
      <ul className={styles.entries}>
        {entries.map((entry) => (
          <li key={entry.page}>
            <PathLink
              path={entry.path}
              className={classNames(styles.entry, current === entry.page && styles.current)}
              title={t(entry.label)}
              aria-current={current === entry.page ? 'page' : undefined}
              onClick={onFollow}
            >
              <Icon of={entry.icon} />
              <span className={styles.word}>{t(entry.label)}</span>
              {entry.useCount && <Count useCount={entry.useCount} />}
            </PathLink>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Of those the user sees; asked for with the list itself, and nothing until it is known. */
function Count({ useCount }: { useCount: NonNullable<FilledEntry['useCount']> }) {
  const seen = useCount(useClusterId());
  return seen === undefined ? null : (
    <span className={styles.count} aria-hidden="true">
      {formatNumber(seen)}
    </span>
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
