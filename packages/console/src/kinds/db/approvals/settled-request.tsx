/** One request that somebody has answered, in a line; what was approved and not run can be taken back. */
import { dbApprovalRoutes, type StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { queryText } from '@gatehouse/contract/std/visible-text';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isolated, isolatedPlain } from '../../../shared/sql-text/isolated-text.tsx';
import { APPROVALS_KEY } from './approval-queries.ts';
import { ApprovalStateBadge } from './approval-state.tsx';
import styles from './approvals.module.css';

export function SettledRequest({ clusterId, item }: { clusterId: string; item: StatementApproval }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { user, database, sql, state, created, decidedBy, note, mayTakeBack } = item;
  return (
    <li className={styles.settled}>
      <span className={styles.line}>
        <ApprovalStateBadge state={state} />
        <span>{t('db-approvals.wanted', { user, database })}</span>
      </span>
      <code title={isolatedPlain(sql.slice(0, 1_000))}>{isolated(queryText(sql))}</code>
      <span className={styles.facts}>
        <time dateTime={created}>{formatRelative(Date.parse(created), now())}</time>
        {decidedBy !== '' && <span>{t('db-approvals.by', { user: decidedBy })}</span>}
        {note !== '' && <span>{note}</span>}
      </span>
      {mayTakeBack && <TakeBack clusterId={clusterId} item={item} />}
    </li>
  );
}

function TakeBack({ clusterId, item: { id, user, database } }: { clusterId: string; item: StatementApproval }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const takeBack = async () => {
    const params = { clusterId, approval: id };
    const deny = () => api(dbApprovalRoutes.decide, { params, body: { state: 'DENIED', note: '' } });
    const isDone = await attempt.run(deny);
    if (isDone) toast.show({ tone: 'ok', title: t('db-approvals.taken-back', { user }) });
    await queries.invalidateQueries({ queryKey: APPROVALS_KEY });
  };
  return (
    <>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <span>
        <Button
          size="small"
          loading={attempt.isBusy}
          aria-label={t('db-approvals.take-back-of', { user, database })}
          onClick={() => void takeBack()}
        >
          {t('db-approvals.take-back')}
        </Button>
      </span>
    </>
  );
}
