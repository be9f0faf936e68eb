/** Asks what should happen to changes nobody saved. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useTranslate } from '../../platform/i18n/words.ts';

export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useTranslate();
  return (
    <ConfirmDialog
      open
      onOpenChange={onStay}
      title={t('roles.leave-title')}
      confirmWord={t('roles.leave')}
      cancelWord={t('roles.stay')}
      onConfirm={onLeave}
    >
      {t('roles.leave-text')}
    </ConfirmDialog>
  );
}
