/** The filter of a list: words or a query in the field, labels as chips beside it. What is typed follows into the address. */
import { Button } from '@gatehouse/design/button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { TextField } from '@gatehouse/design/text-field';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import {
  type FilterTexts,
  filterProblem,
  isPredicate,
  type ListFilter,
  readFilter,
  toggleLabel,
  writeFilter,
} from './filter-query.ts';
import styles from './search-field.module.css';
import { useDebounced } from './use-debounced.ts';

interface FilterFieldProps {
  /** Says what is searched, such as "Name, address or label". */
  label: string;
  value: FilterTexts;
  /** 'push' for what Back should take back. */
  onFilter: (texts: FilterTexts, how: 'replace' | 'push') => void;
  /** What the gateway says is wrong with it. */
  error?: ReactNode;
  /** Other tools, after the chips. */
  children?: ReactNode;
}

const REST_MS = 700;
const NOTHING: ListFilter = { labels: [], text: '' };

export function FilterField({ label, value, onFilter, error, children }: FilterFieldProps) {
  const t = useTranslate();
  const [held, setHeld] = useState(() => ({ sent: keyOf(value), filter: readFilter(value) }));
  const readAgain = () => setHeld({ sent: keyOf(value), filter: readFilter(value) });
  // The address changed by itself: a label in the table, a link, Back. What one is typing is never taken apart.
  if (keyOf(value) !== held.sent) readAgain();

  const { filter } = held;
  // Half a query is not wrong yet: it is judged when the hand rests.
  const isRested = useDebounced(filter.text, REST_MS) === filter.text;
  const problem = isRested ? filterProblem(filter.text.trim()) : undefined;
  const change = (next: ListFilter, how: 'replace' | 'push') => {
    const texts = writeFilter(next);
    setHeld({ sent: keyOf(texts), filter: next });
    onFilter(texts, how);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== 'Escape' || filter.text === '') return;
    event.preventDefault();
    change({ ...filter, text: '' }, 'replace');
  };
  return (
    <div className={styles.tools}>
      <TextField
        type="search"
        label={label}
        labelHidden
        placeholder={label}
        focusKey="/"
        autoComplete="off"
        spellCheck={false}
        mono={isPredicate(filter.text)}
        className={styles.filter}
        value={filter.text}
        error={problem ? <Problem text={filter.text.trim()} {...problem} /> : error}
        onValueChange={(text) => change({ ...filter, text }, 'replace')}
        onClear={() => change({ ...filter, text: '' }, 'replace')}
        onKeyDown={onKeyDown}
        onBlur={readAgain}
      />
      {filter.labels.length > 0 && (
        <span className={styles.chips}>
          {filter.labels.map((each) => (
            <LabelChip
              key={`${each.name} ${each.value}`}
              {...each}
              active
              onRemove={() => change(toggleLabel(filter, each), 'push')}
            />
          ))}
          <Button tone="ghost" size="small" onClick={() => change(NOTHING, 'push')}>
            {t('common.clear')}
          </Button>
        </span>
      )}
      {children}
    </div>
  );
}

function Problem({ text, message, at }: { text: string; message: string; at: number }) {
  const t = useTranslate();
  return (
    <>
      {t('common.query-problem', { message })}{' '}
      <code className={styles.place}>
        {text.slice(0, at - 1)}
        <mark>{text.slice(at - 1) || '\u00a0'}</mark>
      </code>
    </>
  );
}

function keyOf({ search, query }: FilterTexts): string {
  return `${search}\n${query}`;
}
