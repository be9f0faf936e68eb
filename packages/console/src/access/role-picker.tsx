/** Chooses roles by their names and what they are for; where roles may not be listed, their names are typed. */
import { Checkbox } from '@gatehouse/design/checkbox';
import { Field } from '@gatehouse/design/field';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import { useState } from 'react';
import { useUser } from '../sign-in/user.ts';
import { useWords } from '../words/words.ts';
import { useRoles } from './access-queries.ts';
import { descriptionIn } from './role-description.ts';
import styles from './role-picker.module.css';

interface RolePickerProps {
  value: readonly string[];
  onValueChange: (roles: string[]) => void;
  error?: string | undefined;
  disabled?: boolean;
}

/** From here on a list is too long to be looked through. */
const SEARCHED_FROM = 9;

export function RolePicker({ value, onValueChange, error, disabled }: RolePickerProps) {
  const t = useWords();
  const mayList = useUser().userAcl.roles.list;
  const roles = useRoles();
  const [search, setSearch] = useState('');
  if (!mayList || roles.isError) {
    return (
      <TokenInput
        label={t('access.roles')}
        hint={t('access.roles-typed')}
        error={error}
        value={value}
        disabled={disabled}
        onValueChange={onValueChange}
      />
    );
  }
  const names = new Set([...(roles.data ?? []).map(({ name }) => name), ...value]);
  const described = new Map((roles.data ?? []).map(({ name, content }) => [name, descriptionIn(content)]));
  const shown = [...names].filter((name) =>
    `${name} ${described.get(name) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const toggle = (name: string, isChosen: boolean) =>
    onValueChange(isChosen ? [...value, name] : value.filter((other) => other !== name));
  return (
    <Field label={t('access.roles')} error={error}>
      {(wiring) => (
        // biome-ignore lint/a11y/useSemanticElements: the label above is wired to it by the field
        <div {...wiring} role="group" aria-label={t('access.roles')} className={styles.picker}>
          {names.size >= SEARCHED_FROM && (
            <div className={styles.search}>
              <TextField
                type="search"
                label={t('access.roles-search')}
                labelHidden
                placeholder={t('access.roles-search')}
                value={search}
                onValueChange={setSearch}
              />
            </div>
          )}
          <div className={styles.roles}>
            {roles.isPending && <Spinner />}
            {shown.map((name) => (
              <Checkbox
                key={name}
                label={name}
                hint={described.get(name)}
                checked={value.includes(name)}
                disabled={disabled}
                onCheckedChange={(isChosen) => toggle(name, isChosen)}
              />
            ))}
            {!roles.isPending && shown.length === 0 && (
              <p className={styles.none}>{t('access.roles-none', { search: search.trim() })}</p>
            )}
          </div>
        </div>
      )}
    </Field>
  );
}
