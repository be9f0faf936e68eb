/** Chooses roles by their names and what they are for; where roles may not be listed, their names are typed. */
import { Checkbox } from '@gatehouse/design/checkbox';
import { Field } from '@gatehouse/design/field';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { useRoles } from './access-queries.ts';
import { descriptionIn } from './role-description.ts';
import styles from './role-picker.module.css';

interface RolePickerProps {
  value: readonly string[];
  onValueChange: (roles: string[]) => void;
  error?: string | undefined;
  disabled?: boolean;
  /** Only these are offered. */
  among?: readonly string[] | undefined;
}

/** From here on a list is too long to be looked through. */
const SEARCHED_FROM = 9;

export function RolePicker({ value, onValueChange, error, disabled, among }: RolePickerProps) {
  const t = useTranslate();
  const mayList = useOwnUser().userAcl.roles.list;
  const roles = useRoles();
  const [search, setSearch] = useState('');
  // Those that were chosen at first stand on top; what is chosen now does not jump away from under the hand.
  const [first] = useState(value);
  const list = useRef<HTMLDivElement>(null);
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
  const listed = among ?? (roles.data ?? []).map(({ name }) => name);
  const names = [...new Set([...first.filter((name) => listed.includes(name)), ...listed, ...value])];
  const described = new Map((roles.data ?? []).map(({ name, content }) => [name, descriptionIn(content)]));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = names.filter((name) => {
    const text = `${name} ${described.get(name) ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isLong = names.length >= SEARCHED_FROM;
  const toggle = (name: string, isChosen: boolean) =>
    onValueChange(isChosen ? [...value, name] : value.filter((other) => other !== name));
  const focusBox = (at: number) => {
    const boxes = list.current?.querySelectorAll<HTMLInputElement>('input[type=checkbox]');
    boxes?.[Math.max(0, Math.min(at, boxes.length - 1))]?.focus();
  };
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      focusBox(0);
    }
    // Enter would send the form; in a search it takes the one that is meant.
    if (event.key === 'Enter') {
      event.preventDefault();
      const [only, another] = shown;
      if (only !== undefined && another === undefined) toggle(only, !value.includes(only));
    }
  };
  const onListKey = (event: KeyboardEvent) => {
    const boxes = [...(list.current?.querySelectorAll('input[type=checkbox]') ?? [])];
    const at = boxes.indexOf(event.target as HTMLInputElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: boxes.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    focusBox(next);
  };
  return (
    <Field label={t('access.roles')} error={error}>
      {(wiring) => (
        // biome-ignore lint/a11y/useSemanticElements: the label above is wired to it by the field
        <div {...wiring} role="group" aria-label={t('access.roles')} className={styles.picker}>
          {isLong && (
            <div className={styles.search}>
              {value.length > 0 && (
                <div className={styles.chosen}>
                  {value.map((name) => (
                    <LabelChip key={name} value={name} disabled={disabled} onRemove={() => toggle(name, false)} />
                  ))}
                </div>
              )}
              <TextField
                type="search"
                label={t('access.roles-search')}
                labelHidden
                placeholder={t('access.roles-search-among', { count: names.length })}
                autoComplete="off"
                value={search}
                onValueChange={setSearch}
                onKeyDown={onSearchKey}
              />
            </div>
          )}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows only move between the boxes, which are reached by Tab as well */}
          <div ref={list} className={styles.roles} onKeyDown={onListKey}>
            {roles.isPending && <Spinner />}
            {shown.map((name, index) => (
              <Checkbox
                key={name}
                label={name}
                hint={described.get(name)}
                checked={value.includes(name)}
                disabled={disabled}
                // A long list is one stop of the Tab key; arrows go through it.
                tabIndex={isLong && index > 0 ? -1 : undefined}
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
