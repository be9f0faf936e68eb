/** Asks before files are deleted: nothing brings them back. */
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';

interface DeleteDialogProps {
  names: readonly string[];
  server: string;
  onDelete: () => Promise<unknown>;
  onClose: () => void;
}

export function DeleteDialog({ names, server, onDelete, onClose }: DeleteDialogProps) {
  const t = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const values = { count: names.length, name: shownName(names[0] ?? ''), server };
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onDelete();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('files.delete-title', values)}
      confirmWord={t('files.delete')}
      confirmingWord={t('files.deleting')}
      cancelWord={t('files.cancel')}
      confirming={isBusy}
      onConfirm={() => void confirm()}
    >
      <p>{t('files.delete-text', values)}</p>
      {error !== undefined && <Notice tone="bad">{failureWords(t, error)}</Notice>}
    </ConfirmDialog>
  );
}
