/** Asks that somebody lets a text run: the whole of it, and what it is for. */
import { dbApprovalRoutes, MAX_APPROVAL_WORDS } from '@gatehouse/contract/kinds/db/db-approvals';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextArea } from '@gatehouse/design/text-area';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { APPROVALS_KEY } from '../../approvals/approval-queries.ts';
import { ApprovalText } from '../../approvals/approval-text.tsx';
import type { BenchAbout } from '../bench/workbench.ts';
import type { Ready } from '../line/editor-line.ts';
import styles from './approval.module.css';

interface AskApprovalProps {
  about: BenchAbout;
  ready: Ready;
  sql: string;
  onClose: () => void;
  onAsked: () => void;
}

export function AskApproval({ about, ready, sql, onClose, onAsked }: AskApprovalProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [reason, setReason] = useState('');
  const [isSent, setSent] = useState(false);
  const { clusterId, database } = about;
  const { dbUser, dbName, protocol } = ready;

  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (reason.trim() === '') return;
    const params = { clusterId, name: database };
    if (!(await attempt.run(() => api(dbApprovalRoutes.ask, { params, body: { dbUser, dbName, sql, reason } }))))
      return;
    toast.show({ tone: 'ok', title: t('db-approvals.asked') });
    onAsked();
    await queries.invalidateQueries({ queryKey: APPROVALS_KEY });
  };
  return (
    <FormDialog
      size="large"
      title={t('db-approvals.ask')}
      cancelWord={t('db-approvals.cancel')}
      doWord={t('db-approvals.ask-send')}
      isBusy={attempt.isBusy}
      onSubmit={ask}
      onClose={onClose}
      className={styles.form}
    >
      <p>{t('db-approvals.ask-text', { database, user: dbUser, name: dbName })}</p>
      <ApprovalText sql={sql} protocol={protocol} />
      <TextArea
        label={t('db-approvals.reason')}
        hint={t('db-approvals.reason-hint')}
        maxLength={MAX_APPROVAL_WORDS}
        value={reason}
        onValueChange={setReason}
        error={isSent && reason.trim() === '' ? t('db-approvals.reason-missing') : undefined}
        autoFocus
      />
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
    </FormDialog>
  );
}
