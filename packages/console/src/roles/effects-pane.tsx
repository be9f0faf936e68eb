/** The right-hand pane: what saving changes, and a place to ask about access as it is. */
import { Panel } from '@gatehouse/design/panel';
import { CheckAccess } from '../access/check-access.tsx';
import { useUser } from '../sign-in/user.ts';
import { useWords } from '../words/words.ts';
import styles from './effects-pane.module.css';
import { EffectsPanel } from './effects-panel.tsx';
import type { WhatIf } from './use-what-if.ts';

interface EffectsPaneProps {
  whatIf: WhatIf;
  isChanged: boolean;
  isFaulty: boolean;
  isNew: boolean;
  className?: string;
}

export function EffectsPane({ whatIf, isChanged, isFaulty, isNew, className }: EffectsPaneProps) {
  const t = useWords();
  const { userAcl } = useUser();
  const mayAsk = userAcl.users.read && userAcl.roles.read;
  return (
    <Panel label={t('roles.effects')} title={t('roles.effects')} className={className}>
      {isNew ? (
        <p className={styles.lead}>{t('roles.effects-new')}</p>
      ) : (
        <EffectsPanel whatIf={whatIf} isChanged={isChanged} isFaulty={isFaulty} />
      )}
      {mayAsk && (
        <section className={styles.check} aria-label={t('roles.check')}>
          <h3 className={styles.title}>{t('roles.check')}</h3>
          <p className={styles.lead}>{t('roles.check-lead')}</p>
          <CheckAccess />
        </section>
      )}
    </Panel>
  );
}
