/** What the events found are made of, with counts. Each value narrows the search; pressed again it no longer does. */
import type { EventCounts } from '@gatehouse/contract/audit/search';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { TextButton } from '@gatehouse/design/text-link';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useState } from 'react';
import { formatNumber } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type EventFilter, listOf } from './audit-search-params.ts';
import { SEVERITY_ICONS } from './event-icons.ts';
import { filterWords, severityWords } from './event-words.ts';
import styles from './facets.module.css';

/** In the order they are shown: what each narrows, and whether several values may be chosen. */
export const FACETS = {
  severities: { filter: 'severity', many: true },
  types: { filter: 'include', many: true },
  users: { filter: 'user', many: false },
  kinds: { filter: 'resourceKind', many: false },
} as const;
export type Facet = keyof typeof FACETS;
export const facetNames = Object.keys(FACETS) as Facet[];

export type FacetCounts = Record<Facet, EventCounts | undefined>;

interface FacetsProps {
  counts: FacetCounts;
  filter: EventFilter;
  onNarrow: (change: EventFilter) => void;
}

const FIRST_VALUES = 6;
const SEVERITY_ORDER = ['info', 'warning', 'error'];

export function Facets({ counts, filter, onNarrow }: FacetsProps) {
  return facetNames.map((facet) => (
    <FacetGroup key={facet} facet={facet} counts={counts[facet]} filter={filter} onNarrow={onNarrow} />
  ));
}

interface FacetGroupProps extends Omit<FacetsProps, 'counts'> {
  facet: Facet;
  counts: EventCounts | undefined;
}

function FacetGroup({ facet, counts, filter, onNarrow }: FacetGroupProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const { filter: name } = FACETS[facet];
  const chosen = FACETS[facet].many ? listOf(filter[name]) : filter[name] ? [filter[name]] : [];
  const values = valuesOf(facet, counts, chosen);
  const shown = isOpen ? values : values.filter(({ value }, index) => index < FIRST_VALUES || chosen.includes(value));
  const most = Math.max(1, ...values.map(({ count }) => count));
  if (values.length === 0) return null;
  return (
    <section className={styles.facet} aria-label={t(`audit.facet-${facet}`)}>
      <h2 className={styles.title}>{t(`audit.facet-${facet}`)}</h2>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value}>
            <FacetValue
              label={facet === 'severities' ? severityWords(t, value) : filterWords(t, name, value)}
              icon={facet === 'severities' ? iconOf(value) : undefined}
              tone={facet === 'severities' ? value : undefined}
              count={count}
              share={count / most}
              isChosen={chosen.includes(value)}
              onToggle={() => onNarrow({ [name]: toggled(chosen, value, FACETS[facet].many) })}
            />
          </li>
        ))}
      </ul>
      {values.length > FIRST_VALUES && (
        <TextButton className={styles.more} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('audit.fewer') : t('audit.more', { count: values.length - FIRST_VALUES })}
        </TextButton>
      )}
    </section>
  );
}

interface FacetValueProps {
  label: string;
  icon: IconComponent | undefined;
  tone: string | undefined;
  count: number;
  /** Of the most frequent one. */
  share: number;
  isChosen: boolean;
  onToggle: () => void;
}

function FacetValue({ label, icon, tone, count, share, isChosen, onToggle }: FacetValueProps) {
  const t = useTranslate();
  return (
    <button
      type="button"
      className={styles.value}
      aria-pressed={isChosen}
      title={label}
      data-tone={tone}
      onClick={onToggle}
    >
      {icon && <Icon of={icon} size={14} />}
      <bdi className={styles.name}>{label}</bdi>
      <svg width="28" height="4" className={styles.bar} aria-hidden="true">
        <rect x={28 - Math.max(2, share * 28)} width={Math.max(2, share * 28)} height="4" rx="2" />
      </svg>
      <span className={styles.count}>
        {formatNumber(count)} <VisuallyHidden>{t('audit.facet-events', { count })}</VisuallyHidden>
      </span>
    </button>
  );
}

/** Those that were counted, and those that are chosen though nothing was found. Events of nobody cannot be asked for. */
function valuesOf(facet: Facet, counts: EventCounts | undefined, chosen: readonly string[]) {
  const counted = (counts?.[facet] ?? []).filter(({ value }) => value !== '');
  const missing = chosen.filter((value) => !counted.some((each) => each.value === value));
  const all = [...counted, ...missing.map((value) => ({ value, count: 0 }))];
  if (facet !== 'severities') return all;
  return all.toSorted((a, b) => SEVERITY_ORDER.indexOf(a.value) - SEVERITY_ORDER.indexOf(b.value));
}

function toggled(chosen: readonly string[], value: string, many: boolean): string {
  if (chosen.includes(value)) return chosen.filter((each) => each !== value).join();
  return many ? [...chosen, value].join() : value;
}

function iconOf(severity: string): IconComponent | undefined {
  return Object.entries(SEVERITY_ICONS).find(([name]) => name === severity)?.[1];
}
