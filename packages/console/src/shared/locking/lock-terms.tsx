/** Why, and for how long: what is asked of whoever locks, one or many. */
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useTranslate } from '../../platform/i18n/words.ts';

const LENGTHS = ['open', '3600', '86400', '604800', '2592000'] as const;

export interface LockTerms {
  reason: string;
  length: (typeof LENGTHS)[number];
}

export const OPEN_END: LockTerms = { reason: '', length: 'open' };

/** Undefined until somebody lifts it. */
export function lockSeconds({ length }: LockTerms): number | undefined {
  return length === 'open' ? undefined : Number(length);
}

interface LockTermsFieldsProps {
  value: LockTerms;
  onValueChange: (value: LockTerms) => void;
}

export function LockTermsFields({ value, onValueChange }: LockTermsFieldsProps) {
  const t = useTranslate();
  return (
    <>
      <TextField
        label={t('locks.reason')}
        hint={t('locks.reason-hint')}
        optional
        maxLength={500}
        autoComplete="off"
        value={value.reason}
        onValueChange={(reason) => onValueChange({ ...value, reason })}
      />
      <Select
        label={t('locks.length')}
        value={value.length}
        onValueChange={(length) => onValueChange({ ...value, length })}
        options={LENGTHS.map((length) => ({ value: length, label: t(`locks.length-${length}`) }))}
      />
    </>
  );
}
