/** Says that something is locked, why, by whom and until when, where one meets it; and lifts the lock. */

import type { LockItem } from '@gatehouse/contract/access/locks/locks';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import Lock from 'lucide-react/icons/lock';
import { useState } from 'react';
import { actorWords } from '../../platform/i18n/actor-words.ts';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { LiftDialog } from './lift-dialog.tsx';
import { targetOf, targetWords, untilWords } from './lock-words.ts';

export function LockNotice({ lock, mayLift }: { lock: LockItem; mayLift: boolean }) {
  const t = useTranslate();
  const [isLifting, setLifting] = useState(false);
  const by = { by: actorWords(t, lock.createdBy), time: formatDateTime(lock.createdAt) };
  return (
    <Notice
      tone="bad"
      icon={Lock}
      announce="none"
      title={targetWords(t, targetOf(lock))}
      actions={
        mayLift && (
          <Button size="small" onClick={() => setLifting(true)}>
            {t('locks.lift')}
          </Button>
        )
      }
    >
      {lock.message && `${asSentence(lock.message)} `}
      {t('locks.made-by', by)} {untilWords(t, lock)}
      {isLifting && <LiftDialog lock={lock} onClose={() => setLifting(false)} />}
    </Notice>
  );
}
