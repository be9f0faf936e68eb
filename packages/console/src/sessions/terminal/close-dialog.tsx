/** Asks before a terminal is closed while a program runs in it. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type Pane, paneName } from './workspace/tabs.ts';

interface CloseDialogProps {
  panes: readonly Pane[];
  programs: readonly string[];
  onCancel: () => void;
  onConfirm: () => void;
}

export function CloseDialog({ panes, programs, onCancel, onConfirm }: CloseDialogProps) {
  const t = useTranslate();
  const [only] = panes;
  return (
    <ConfirmDialog
      open
      onOpenChange={onCancel}
      title={
        panes.length === 1 && only
          ? t('terminal.close-title', { name: paneName(only) })
          : t('terminal.close-title-several', { count: panes.length })
      }
      confirmWord={t('terminal.close-confirm')}
      cancelWord={t('terminal.close-cancel')}
      onConfirm={onConfirm}
    >
      {programs.length > 0
        ? t('terminal.close-text', { program: programs.join(', ') })
        : t('terminal.close-text-unknown')}
    </ConfirmDialog>
  );
}
