/** Narrows the list of users by state, second factor, where they come from and role, each with how many there are. */
import { USER_STATES, USER_TYPES, type UserCounts } from '@gatehouse/contract/identity/users/find-users';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { Popover, PopoverClose } from '@gatehouse/design/popover';
import { TextField } from '@gatehouse/design/text-field';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { useState } from 'react';
import { formatNumber } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { isNarrowed, NO_FILTER, type UserFilter } from './user-filter.ts';
import styles from './user-filters.module.css';

interface UserFiltersProps {
  filter: UserFilter;
  /** Nothing until the first answer. */
  counts: UserCounts | undefined;
  onChange: (change: Partial<UserFilter>) => void;
}

export function UserFilters({ filter, counts, onChange }: UserFiltersProps) {
  const t = useTranslate();
  // Holds the line, so that the list does not move when the counts come.
  if (!counts) return <div className={styles.filters} aria-hidden />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div role="group" aria-label={t('users.filters')} className={styles.filters}>
      {USER_STATES.map((state) => (
        <Pill
          key={state}
          word={t(`users.state-${state}`)}
          count={counts.states[state]}
          isOn={filter.state === state}
          onToggle={(isOn) => onChange({ state: isOn ? state : undefined })}
        />
      ))}
      <Pill
        word={t('users.filter-no-factor')}
        count={counts.withoutFactor}
        isOn={filter.factor === 'none'}
        onToggle={(isOn) => onChange({ factor: isOn ? 'none' : undefined })}
      />
      {/* Where everybody comes from the same place, there is nothing to tell apart. */}
      {(filter.type || (counts.types.local > 0 && counts.types.sso > 0)) &&
        USER_TYPES.map((type) => (
          <Pill
            key={type}
            word={t(`users.filter-${type}`)}
            count={counts.types[type]}
            isOn={filter.type === type}
            onToggle={(isOn) => onChange({ type: isOn ? type : undefined })}
          />
        ))}
      <RoleFilter role={filter.role} counts={counts.roles} onChange={(role) => onChange({ role })} />
      {isNarrowed(filter) && (
        <Button tone="ghost" size="small" onClick={() => onChange(NO_FILTER)}>
          {t('users.filters-clear')}
        </Button>
      )}
    </div>
  );
}

interface PillProps {
  word: string;
  count: number;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}

/** What nobody fits is not offered, unless it is what keeps the list empty. */
function Pill({ word, count, isOn, onToggle }: PillProps) {
  if (count === 0 && !isOn) return null;
  return (
    <button type="button" className={styles.pill} aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
      {word}
      <span className={styles.count}>{formatNumber(count)}</span>
    </button>
  );
}

interface RoleFilterProps {
  role: string | undefined;
  counts: UserCounts['roles'];
  onChange: (role: string | undefined) => void;
}

function RoleFilter({ role, counts, onChange }: RoleFilterProps) {
  const t = useTranslate();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = counts.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Popover
      align="start"
      label={t('users.filter-role')}
      className={styles.roles}
      trigger={
        <button type="button" className={styles.pill} aria-pressed={role !== undefined}>
          {role === undefined ? t('users.filter-role') : t('users.filter-role-is', { role })}
          <Icon of={ChevronDown} size={12} />
        </button>
      }
    >
      <TextField
        type="search"
        label={t('access.roles-search')}
        labelHidden
        placeholder={t('access.roles-search')}
        value={search}
        onValueChange={setSearch}
      />
      <ul className={styles.choices}>
        {shown.map(({ name, count }) => (
          <li key={name}>
            <PopoverClose>
              <button
                type="button"
                className={styles.choice}
                aria-pressed={name === role}
                onClick={() => onChange(name === role ? undefined : name)}
              >
                <span>{name}</span>
                <span className={styles.count}>{formatNumber(count)}</span>
              </button>
            </PopoverClose>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={styles.none}>{t('access.roles-none', { search: search.trim() })}</p>}
    </Popover>
  );
}
