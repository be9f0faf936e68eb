/** The right-hand pane: what saving changes, and a place to ask about access as it is. */
import { Button } from '@gatehouse/design/button';
import { Panel } from '@gatehouse/design/panel';
import UserPlus from 'lucide-react/icons/user-plus';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { CheckAccess } from '../../shared/access-questions/check-access.tsx';
import { EffectsPanel } from '../../shared/access-questions/effects-panel.tsx';
import type { WhatIf } from '../../shared/access-questions/use-what-if.ts';
import styles from './effects-pane.module.css';

interface EffectsPaneProps {
  whatIf: WhatIf;
  isChanged: boolean;
  isFaulty: boolean;
  /** Nothing for one that is being made. */
  role: string | undefined;
  /** How many hold it; unknown for those who may not list users. */
  holders: number | undefined;
  className?: string;
}

export function EffectsPane({ whatIf, isChanged, isFaulty, role, holders, className }: EffectsPaneProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const follow = useFollow();
  const mayAsk = userAcl.users.read && userAcl.roles.read;
  return (
    <Panel label={t('roles.effects')} title={t('roles.effects')} className={className}>
      {role === undefined ? (
        <p className={styles.lead}>{t('roles.effects-new')}</p>
      ) : (
        <div className={styles.stack}>
          {holders === 0 && <p>{t('roles.held-by-nobody')}</p>}
          {holders !== 0 && <EffectsPanel whatIf={whatIf} isChanged={isChanged} isFaulty={isFaulty} />}
          {/* Not with changes that are not saved: the page would be left. */}
          {userAcl.users.edit && userAcl.users.list && !isChanged && (
            <div>
              <Button
                tone={holders === 0 ? 'primary' : 'secondary'}
                icon={UserPlus}
                onClick={() => follow(`/web/users?give=${encodeURIComponent(role)}`)}
              >
                {t('roles.give')}
              </Button>
            </div>
          )}
        </div>
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
