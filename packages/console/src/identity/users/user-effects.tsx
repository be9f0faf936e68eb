/** What a change of a user gives and takes, before it is saved; and what roles would use and find empty. */
import type { Trait } from '@gatehouse/contract/identity/users/traits';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EffectsPanel } from '../../shared/access-questions/effects-panel.tsx';
import { useWhatIf, type WhatIf } from '../../shared/access-questions/use-what-if.ts';
import type { TraitValues } from './trait-fields.tsx';
import styles from './users.module.css';

export interface PlannedUser {
  name: string;
  roles: readonly string[];
  traits: TraitValues;
}

/** Nothing for those who may not read roles: the gateway then tells what gives nothing after it is saved. */
export function useUserEffects({ name, roles, traits }: PlannedUser, isWanted: boolean): WhatIf & { mayAsk: boolean } {
  const { userAcl } = useUser();
  const mayAsk = userAcl.roles.read && userAcl.users.read;
  const whatIf = useWhatIf(
    { type: 'change-user', name, roles: [...roles], traits },
    isWanted && mayAsk && roles.length > 0,
  );
  return { ...whatIf, mayAsk };
}

interface UserEffectsProps {
  title: string;
  whatIf: WhatIf;
}

export function UserEffects({ title, whatIf }: UserEffectsProps) {
  return (
    <section className={styles.effects} aria-label={title}>
      <h3 className={styles.sectionTitle}>{title}</h3>
      <EffectsPanel whatIf={whatIf} isChanged isAboutOne />
    </section>
  );
}

interface MissingTraitsProps {
  whatIf: WhatIf;
  /** Leads to the field. */
  onGive: (trait: Trait) => void;
}

export function MissingTraits({ whatIf: { effects }, onGive }: MissingTraitsProps) {
  const t = useTranslate();
  const missing = effects?.missing?.find(({ trait }) => trait === 'logins');
  if (!missing) return null;
  const values = { count: missing.roles.length, roles: missing.roles.join(', ') };
  return (
    <Notice
      tone="warn"
      title={t('effects.missing-logins')}
      actions={
        <Button size="small" onClick={() => onGive(missing.trait)}>
          {t('effects.give-logins')}
        </Button>
      }
    >
      {t('effects.missing-logins-text', values)}
    </Notice>
  );
}
