/** One request that waits: who wants to run what, as whom, what for; and the two answers. */
import {
  dbApprovalRoutes,
  MAX_APPROVAL_WORDS,
  type StatementApproval,
} from '@gatehouse/contract/kinds/db/db-approvals';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import { APPROVALS_KEY, oneApproval } from './approval-queries.ts';
import { ApprovalStateBadge } from './approval-state.tsx';
import { ApprovalText } from './approval-text.tsx';
import styles from './approvals.module.css';
import { TakeBack } from './take-back.tsx';

interface WaitingRequestProps {
  clusterId: string;
  item: StatementApproval;
  /** Of those that wait, from 1. */
  number: number;
}

export function WaitingRequest({ clusterId, item, number }: WaitingRequestProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const { now } = useBrowser();
  const titleId = useId();
  const [note, setNote] = useState('');
  const attempt = useAttempt();
  const whole = useQuery(oneApproval(api, clusterId, item));
  const { withProof, question } = useProof({
    title: t('db-approvals.proof-title'),
    text: t('db-approvals.proof-text', { user: item.user, database: item.database }),
    confirmWord: t('db-approvals.approve'),
  });
  const { id, user, database, dbUser, dbName, reason, created, statements, state, mayDecide } = item;

  const decide = async (answer: 'APPROVED' | 'DENIED') => {
    const params = { clusterId, approval: id };
    const send = () => api(dbApprovalRoutes.decide, { params, body: { state: answer, note } });
    const isDone = await attempt.run(() => withProof(send));
    if (isDone) toast.show({ tone: 'ok', title: t(`db-approvals.done-${answer}`, { user }) });
    await queries.invalidateQueries({ queryKey: APPROVALS_KEY });
  };
  return (
    <article className={styles.request} aria-labelledby={titleId}>
      <header className={styles.who}>
        <h3 id={titleId}>{t('db-approvals.wants', { user, database })}</h3>
        <span className={styles.facts}>
          <span>{t('db-approvals.as', { user: dbUser, name: dbName })}</span>
          <time dateTime={created}>{formatRelative(Date.parse(created), now())}</time>
          {statements > 1 && <span>{t('db-approvals.together', { count: statements })}</span>}
        </span>
      </header>
      <p className={styles.reason}>{reason}</p>
      {whole.data !== undefined && <ApprovalText sql={whole.data} protocol={item.protocol} number={number} />}
      {whole.error && <Notice tone="bad">{failureWords(t, whole.error)}</Notice>}
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {state !== 'PENDING' && (
        <div className={styles.answer}>
          {/* Not where Approve was: whoever clicks twice would take it back at once. */}
          {item.mayTakeBack && <TakeBack clusterId={clusterId} item={item} />}
          <ApprovalStateBadge state={state} />
        </div>
      )}
      {mayDecide && (
        <div className={styles.answer}>
          <TextField
            className={styles.note}
            label={t('db-approvals.note')}
            labelHidden
            placeholder={t('db-approvals.note')}
            maxLength={MAX_APPROVAL_WORDS}
            value={note}
            onValueChange={setNote}
          />
          <Button disabled={attempt.isBusy} onClick={() => void decide('DENIED')}>
            {t('db-approvals.deny')}
          </Button>
          <Button
            tone="primary"
            loading={attempt.isBusy}
            // Nobody approves what is not there to be read.
            disabled={whole.data === undefined}
            onClick={() => void decide('APPROVED')}
          >
            {t('db-approvals.approve')}
          </Button>
        </div>
      )}
      {question}
    </article>
  );
}
