/** Lifts a lock. */
import { type LockItem, lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AskDialog } from '../access-questions/ask-dialog.tsx';
import { targetOf, targetWords } from './lock-words.ts';

export function LiftDialog({ lock, onClose }: { lock: LockItem; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const what = targetWords(t, targetOf(lock));
  return (
    <AskDialog
      title={t('locks.lift-title')}
      confirmWord={t('locks.lift')}
      run={() => api(lockRoutes.remove, { params: { clusterId: CURRENT_CLUSTER, name: lock.name } })}
      done={t('locks.lifted')}
      onClose={onClose}
    >
      {t('locks.lift-text', { what })}
    </AskDialog>
  );
}
