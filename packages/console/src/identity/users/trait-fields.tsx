/** The traits of a user: the names roles let them use on servers, databases, clusters, desktops and in clouds. */
import { TRAITS, type Trait } from '@gatehouse/contract/identity/users/traits';
import { Button } from '@gatehouse/design/button';
import { TokenInput } from '@gatehouse/design/token-input';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { useEffect, useId, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './users.module.css';

export type TraitValues = Partial<Record<Trait, string[]>>;

interface TraitFieldsProps {
  value: TraitValues;
  onValueChange: (traits: TraitValues) => void;
  disabled?: boolean;
  /** Counts how often somebody was led here from a warning: each time the logins take the focus. */
  asked?: number;
}

/** Logins are asked for nearly always; the others stand open only where they are used. */
export function TraitFields({ value, onValueChange, disabled, asked = 0 }: TraitFieldsProps) {
  const t = useTranslate();
  const loginsId = useId();
  useEffect(() => {
    if (asked > 0) document.getElementById(loginsId)?.focus();
  }, [asked, loginsId]);
  const [isOpen, setOpen] = useState(false);
  const [used] = useState(() => TRAITS.filter((trait) => trait === 'logins' || (value[trait]?.length ?? 0) > 0));
  const shown = isOpen ? TRAITS : used;
  return (
    <>
      {shown.map((trait) => (
        <TokenInput
          key={trait}
          id={trait === 'logins' ? loginsId : undefined}
          label={t(`users.trait-${trait}`)}
          hint={trait === 'logins' ? t('users.trait-hint') : undefined}
          value={value[trait] ?? []}
          disabled={disabled}
          onValueChange={(values) => onValueChange({ ...value, [trait]: values })}
        />
      ))}
      {shown.length < TRAITS.length && (
        <div className={styles.moreTraits}>
          <Button tone="ghost" size="small" icon={ChevronDown} onClick={() => setOpen(true)}>
            {t('users.more-traits')}
          </Button>
        </div>
      )}
    </>
  );
}

export function sameTraits(a: TraitValues, b: TraitValues): boolean {
  return TRAITS.every((trait) => sameNames(a[trait] ?? [], b[trait] ?? []));
}

/** In any order. */
export function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
