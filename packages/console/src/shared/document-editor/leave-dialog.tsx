/** Asks what should happen to changes nobody saved. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useTranslate } from '../../platform/i18n/words.ts';

export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useTranslate();
  return (
    <ConfirmDialog
      open
      onOpenChange={onStay}
      title={t('document.leave-title')}
      confirmWord={t('document.leave')}
      cancelWord={t('document.stay')}
      onConfirm={onLeave}
    >
      {t('document.leave-text')}
    </ConfirmDialog>
  );
}
