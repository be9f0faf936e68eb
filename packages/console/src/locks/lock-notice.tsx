/** Says that something is locked, why, by whom and until when, where one meets it; and lifts the lock. */
import { formatDateTime } from '@gatehouse/contract/dates';
import type { LockItem } from '@gatehouse/contract/locks/locks';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import Lock from 'lucide-react/icons/lock';
import { useState } from 'react';
import { actorWords } from '../words/actor-words.ts';
import { asSentence } from '../words/formats.ts';
import { useWords } from '../words/words.ts';
import { LiftDialog } from './lift-dialog.tsx';
import { targetOf, targetWords, untilWords } from './lock-words.ts';

export function LockNotice({ lock, mayLift }: { lock: LockItem; mayLift: boolean }) {
  const t = useWords();
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
