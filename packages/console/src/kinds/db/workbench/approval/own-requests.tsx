/** Beside the editor: what one has asked to run in this database, where each stands, and a way to run what was approved. */
import { dbApprovalRoutes, type StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Play from 'lucide-react/icons/play';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { failureWords } from '../../../../platform/failures/failure-words.ts';
import { useAttempt } from '../../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { isolated } from '../../../../shared/sql-text/isolated-text.tsx';
import { APPROVALS_KEY, ownApprovals } from '../../approvals/approval-queries.ts';
import { ApprovalStateBadge } from '../../approvals/approval-state.tsx';
import type { OpenBench } from '../bench/use-bench.ts';
import { isRunning } from '../bench/work.ts';
import styles from './approval.module.css';

export function OwnRequests({ open }: { open: OpenBench }) {
  const t = useTranslate();
  const { about } = open;
  const { data, error } = useQuery(ownApprovals(useApi(), about.clusterId));
  const here = data?.filter(({ database }) => database === about.database) ?? [];
  return (
    <div className={styles.list}>
      {error && <Notice tone="bad">{failureWords(t, error)}</Notice>}
      {data && here.length === 0 && <p className={styles.none}>{t('db-approvals.own-none')}</p>}
      <ul>
        {here.map((item) => (
          <OwnRequest key={item.id} open={open} item={item} />
        ))}
      </ul>
    </div>
  );
}

function OwnRequest({ open, item }: { open: OpenBench; item: StatementApproval }) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const { about, bench, tab, view, isReady } = open;
  const { id, sql, state, dbUser, dbName, decidedBy, note, created, expires } = item;
  const isHere = view.ready?.dbUser === dbUser && view.ready.dbName === dbName;
  const refresh = () => queries.invalidateQueries({ queryKey: APPROVALS_KEY });
  const withdraw = async () => {
    const params = { clusterId: about.clusterId, approval: id };
    await attempt.run(() => api(dbApprovalRoutes.withdraw, { params }));
    await refresh();
  };
  const isOpen = state === 'PENDING' || state === 'APPROVED';
  return (
    <li className={styles.item}>
      <span className={styles.head}>
        <ApprovalStateBadge state={state} />
        <time dateTime={created}>{formatDateTime(Date.parse(created))}</time>
      </span>
      <code className={styles.sql}>{isolated(sql)}</code>
      <span className={styles.facts}>
        {decidedBy !== '' && <span>{t('db-approvals.by', { user: decidedBy })}</span>}
        {note !== '' && <span>{note}</span>}
        {state === 'APPROVED' && <span>{t('db-approvals.until', { time: formatDateTime(Date.parse(expires)) })}</span>}
        {isOpen && !isHere && <span>{t('db-approvals.as', { user: dbUser, name: dbName })}</span>}
      </span>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {isOpen && (
        <span className={styles.acts}>
          {state === 'APPROVED' && (
            <Button
              size="small"
              tone="primary"
              icon={Play}
              disabled={!isReady || !isHere || isRunning(tab.work)}
              disabledReason={t(isHere ? 'db-approvals.run-busy' : 'db-approvals.run-elsewhere')}
              onClick={() => bench.runApproved(tab.slot, { approval: id, sql })}
            >
              {t('db-approvals.run')}
            </Button>
          )}
          <Button size="small" loading={attempt.isBusy} onClick={() => void withdraw()}>
            {t('db-approvals.withdraw')}
          </Button>
        </span>
      )}
    </li>
  );
}
