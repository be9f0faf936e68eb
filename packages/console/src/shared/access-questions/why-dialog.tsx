/** Asks about access from anywhere: can somebody reach something and why, or who can reach it. */
import { Dialog } from '@gatehouse/design/dialog';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useState } from 'react';
import type { WhyAbout } from '../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import { CheckAccess } from './check-access.tsx';
import { RefusalLookup } from './refusal-lookup.tsx';
import { WhoReaches } from './who-reaches.tsx';

interface WhyDialogProps {
  /** What is asked at once: about oneself, where somebody has just met a closed door. */
  about: WhyAbout | undefined;
  onClose: () => void;
}

export function WhyDialog({ about, onClose }: WhyDialogProps) {
  const t = useTranslate();
  const { userName, userAcl } = useUser();
  const [mode, setMode] = useState<'can' | 'who' | 'refusal'>(about?.who && userAcl.users.list ? 'who' : 'can');
  // Everybody may ask about themselves.
  const isLimited = !(userAcl.users.read && userAcl.roles.read);
  return (
    <Dialog open onOpenChange={onClose} title={t('access.why')} size="large">
      <div className={styles.dialog}>
        {userAcl.users.list && (
          <div>
            <SegmentedControl
              label={t('access.why-mode')}
              value={mode}
              onValueChange={setMode}
              segments={[
                { value: 'can', label: t('access.why-can') },
                { value: 'who', label: t('access.why-who') },
                ...(userAcl.roles.read ? [{ value: 'refusal' as const, label: t('access.why-refusal') }] : []),
              ]}
            />
          </div>
        )}
        {mode === 'can' && (
          <CheckAccess
            {...(isLimited ? { user: userName } : {})}
            {...about}
            asksAtOnce={about !== undefined && !about.who}
          />
        )}
        {mode === 'who' && <WhoReaches given={about?.who && about.resource.id} />}
        {mode === 'refusal' && <RefusalLookup />}
      </div>
    </Dialog>
  );
}
