/** What is asked before something happens: the name of what a statement takes with it, a name to save under. */
import { MAX_SAVED_NAME } from '@gatehouse/contract/kinds/db/editor';
import type { Risk } from '@gatehouse/contract/kinds/db/risk-of';
import { queryText } from '@gatehouse/contract/std/visible-text';
import { Button } from '@gatehouse/design/button';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useId, useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { QuestionFailed, type Workbench } from './bench/workbench.ts';

export function RiskDialog({ risk, onClose, onRun }: { risk: Risk; onClose: () => void; onRun: () => void }) {
  const t = useTranslate();
  const { verb, name } = risk;
  const isWhole = verb === 'UPDATE' || verb === 'DELETE';
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('workbench.risk-title', { verb })}
      confirmWord={t('workbench.risk-run', { verb })}
      cancelWord={t('workbench.risk-cancel')}
      typed={{
        text: name,
        label: t('workbench.risk-type', { name }),
        reason: t('workbench.risk-type', { name }),
      }}
      onConfirm={onRun}
    >
      {t(isWhole ? 'workbench.risk-where' : 'workbench.risk-gone', { name })}
    </ConfirmDialog>
  );
}

interface SaveDialogProps {
  bench: Workbench;
  sql: string;
  name: string;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveDialog({ bench, sql, name: given, onClose, onSaved }: SaveDialogProps) {
  const t = useTranslate();
  const formId = useId();
  const [name, setName] = useState(given);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim() === '' || isBusy) return;
    setBusy(true);
    bench
      .ask({ type: 'save', name: name.trim(), sql }, 'done')
      .then(onSaved)
      .catch((error: unknown) => {
        if (!(error instanceof QuestionFailed)) throw error;
        setFailure(error.message === '' ? t('workbench.cut-off') : asSentence(error.message));
      })
      .finally(() => setBusy(false));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('workbench.save-title')}
      footer={
        <>
          <Button onClick={onClose}>{t('workbench.save-cancel')}</Button>
          <Button type="submit" form={formId} tone="primary" loading={isBusy} disabled={name.trim() === ''}>
            {t('workbench.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        {failure && <Notice tone="bad">{failure}</Notice>}
        <TextField
          label={t('workbench.save-name')}
          hint={t('workbench.save-hint')}
          autoFocus
          maxLength={MAX_SAVED_NAME}
          value={name}
          onValueChange={setName}
        />
        <code>{queryText(sql)}</code>
      </form>
    </Dialog>
  );
}
