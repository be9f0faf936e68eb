/** Lifts a lock. */
import { type LockItem, lockRoutes } from '@gatehouse/contract/locks/locks';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import { AskDialog } from '../access/ask-dialog.tsx';
import { useWords } from '../words/words.ts';
import { useApi } from '../world/use-api.ts';
import { targetOf, targetWords } from './lock-words.ts';

export function LiftDialog({ lock, onClose }: { lock: LockItem; onClose: () => void }) {
  const t = useWords();
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
