/** What the list is narrowed by, besides words: user, resource, kind and state. */
import { RECORDING_TYPES } from '@gatehouse/contract/recordings/recording-types';
import { Button } from '@gatehouse/design/button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Popover } from '@gatehouse/design/popover';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import ListFilter from 'lucide-react/icons/list-filter';
import { type SubmitEvent, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { kindWords } from '../recording-facts.ts';
import { FILTER_NAMES, type FilterName, type RecordingFilter, STATES } from '../recordings-search-params.ts';
import styles from './filters.module.css';

interface FiltersProps {
  filter: RecordingFilter;
  onNarrow: (change: RecordingFilter) => void;
}

export function FiltersButton({ filter, onNarrow }: FiltersProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(filter).length;
  return (
    <Popover
      label={t('recordings.filters')}
      align="start"
      open={isOpen}
      onOpenChange={setOpen}
      className={styles.popover}
      trigger={
        <Button icon={ListFilter} aria-label={count > 0 ? t('recordings.filters-set', { count }) : undefined}>
          {t('recordings.filters')}
        </Button>
      }
    >
      <div className={styles.fields}>
        <NameField
          name="user"
          value={filter.user}
          onPick={(user) => {
            setOpen(false);
            onNarrow({ user });
          }}
        />
        <NameField
          name="resource"
          value={filter.resource}
          onPick={(resource) => {
            setOpen(false);
            onNarrow({ resource });
          }}
        />
        <Select
          label={t('recordings.filter-kind')}
          value={filter.kind ?? 'any'}
          options={[
            { value: 'any', label: t('recordings.any') },
            ...RECORDING_TYPES.map((kind) => ({ value: kind, label: kindWords(t, kind) })),
          ]}
          onValueChange={(kind) => onNarrow({ kind: kind === 'any' ? '' : kind })}
        />
        <Select
          label={t('recordings.filter-state')}
          value={filter.state ?? 'any'}
          options={[
            { value: 'any', label: t('recordings.any') },
            ...STATES.map((state) => ({ value: state, label: t(`recordings.state-${state}`) })),
          ]}
          onValueChange={(state) => onNarrow({ state: state === 'any' ? '' : state })}
        />
      </div>
    </Popover>
  );
}

interface NameFieldProps {
  name: 'user' | 'resource';
  value: string | undefined;
  onPick: (value: string) => void;
}

/** Taken with Enter: half a name would match nothing. */
function NameField({ name, value = '', onPick }: NameFieldProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState(value);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onPick(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label={t(`recordings.filter-${name}`)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onValueChange={setTyped}
        onClear={() => onPick('')}
      />
    </form>
  );
}

export function FilterChips({ filter, onNarrow, onClear }: FiltersProps & { onClear: () => void }) {
  const t = useTranslate();
  const set = FILTER_NAMES.filter((name) => filter[name] !== undefined);
  if (set.length === 0) return null;
  const wordsOf = (name: FilterName, value: string) => {
    const state = STATES.find((each) => name === 'state' && each === value);
    if (state) return t(`recordings.state-${state}`);
    return name === 'kind' ? kindWords(t, value) : value;
  };
  return (
    <>
      {set.map((name) => (
        <LabelChip
          key={name}
          name={t(`recordings.filter-${name}`)}
          value={wordsOf(name, filter[name] ?? '')}
          active
          onRemove={() => onNarrow({ [name]: '' })}
        />
      ))}
      <Button tone="ghost" size="small" onClick={onClear}>
        {t('recordings.clear')}
      </Button>
    </>
  );
}
