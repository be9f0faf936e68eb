/** One of the names somebody may use, or any where any may be typed. */
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useId } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Choices } from './db-choices.ts';

interface ChoiceFieldProps {
  label: string;
  hint: string;
  autoFocus?: boolean;
  choices: Choices;
  value: string;
  onValue: (value: string) => void;
}

export function ChoiceField({ choices: { named, isAny }, value, onValue, ...look }: ChoiceFieldProps) {
  const t = useTranslate();
  const listId = useId();
  if (!isAny) {
    return (
      <Select
        {...look}
        value={value}
        options={named.map((name) => ({ value: name, label: name }))}
        onValueChange={onValue}
      />
    );
  }
  return (
    <div>
      <TextField {...look} mono list={listId} placeholder={t('db-connect.any')} value={value} onValueChange={onValue} />
      <datalist id={listId}>
        {named.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
