/** Stands under the table in place of its foot while users are chosen: what can be done to all of them. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import KeyRound from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import LockOpen from 'lucide-react/icons/lock-open';
import ShieldMinus from 'lucide-react/icons/shield-minus';
import ShieldPlus from 'lucide-react/icons/shield-plus';
import Trash2 from 'lucide-react/icons/trash-2';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { MAX_SELECTED, type Selection } from '../use-selection.ts';
import type { UserRow } from '../user-facts.ts';
import styles from './bulk.module.css';
import { BULK_ACTIONS, type BulkAction } from './bulk-actions.ts';
import { BulkDialog } from './bulk-dialog.tsx';

const ICONS = {
  'add-role': ShieldPlus,
  'remove-role': ShieldMinus,
  lock: Lock,
  unlock: LockOpen,
  link: KeyRound,
  delete: Trash2,
} as const;

interface BulkBarProps {
  selection: Selection;
  /** The role that whoever is chosen is to get. */
  given: string | undefined;
  onGiven: () => void;
}

export function BulkBar({ selection, given, onGiven }: BulkBarProps) {
  const t = useTranslate();
  const { users, locks } = useUser().userAcl;
  const may: Record<BulkAction, boolean> = {
    'add-role': users.edit,
    'remove-role': users.edit,
    lock: locks.create,
    // A lock-out after failed sign-ins is the user's, not a lock.
    unlock: locks.remove || users.edit,
    link: users.edit,
    delete: users.remove,
  };
  // Those chosen when it was begun: what is done changes who is chosen.
  const [doing, setDoing] = useState<{ action: BulkAction; rows: readonly UserRow[] }>();
  const count = selection.rows.length;
  const isTooMany = count > MAX_SELECTED;
  const close = () => setDoing(undefined);
  return (
    <>
      {count > 0 && (
        <footer className={styles.bar}>
          <div role="toolbar" aria-label={t('users-bulk.bar')} className={styles.actions}>
            <IconButton icon={X} size="small" label={t('users-bulk.clear')} onClick={selection.clear} />
            <span role="status" className={styles.count}>
              {t('users-bulk.chosen', { count })}
            </span>
            {BULK_ACTIONS.filter((action) => may[action]).map((action) => (
              <Button
                key={action}
                size="small"
                icon={ICONS[action]}
                tone={action === 'delete' ? 'danger' : action === 'add-role' && given ? 'primary' : 'secondary'}
                disabled={isTooMany}
                disabledReason={t('users-bulk.too-many', { most: MAX_SELECTED })}
                onClick={() => setDoing({ action, rows: selection.rows })}
              >
                {t(`users-bulk.${action}`)}
              </Button>
            ))}
          </div>
        </footer>
      )}
      {doing && (
        <BulkDialog
          {...doing}
          startRoles={doing.action === 'add-role' && given !== undefined ? [given] : []}
          onClose={close}
          onAllDone={() => {
            selection.clear();
            if (doing.action === 'add-role') onGiven();
          }}
        />
      )}
    </>
  );
}
