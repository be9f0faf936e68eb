/** Deletes a role, or says who still holds it: then it cannot be. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { LabelChip } from '@gatehouse/design/label-chip';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PathLink } from '../../platform/routing/routing.tsx';
import { AskDialog } from '../../shared/access-questions/ask-dialog.tsx';
import styles from './roles.module.css';

interface DeleteRoleDialogProps {
  name: string;
  /** Unknown for those who may not list users: the gateway then says. */
  holders: readonly string[] | undefined;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteRoleDialog({ name, holders, onClose, onDone }: DeleteRoleDialogProps) {
  const t = useTranslate();
  const api = useApi();
  if (holders && holders.length > 0) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={t('roles.held-title', { role: name })}
        footer={<Button onClick={onClose}>{t('access.cancel')}</Button>}
      >
        <div className={styles.stack}>
          <p>{t('roles.held-text', { count: holders.length })}</p>
          <div className={styles.chips}>
            {holders.map((user) => (
              <LabelChip key={user} value={user} />
            ))}
          </div>
          <PathLink path={`/web/users?search=${encodeURIComponent(name)}`} className={styles.link} onClick={onClose}>
            {t('roles.show-holders')}
          </PathLink>
        </div>
      </Dialog>
    );
  }
  return (
    <AskDialog
      title={t('roles.delete-title', { role: name })}
      confirmWord={t('roles.delete')}
      typed={name}
      run={() => api(roleRoutes.remove, { params: { name } })}
      done={t('roles.deleted', { role: name })}
      onClose={onClose}
      onDone={onDone}
    >
      {t('roles.delete-text')}
    </AskDialog>
  );
}
