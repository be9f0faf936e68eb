/** One request that somebody has answered, in a line; what was approved and not run can be taken back. */
import type { StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { queryText } from '@gatehouse/contract/std/visible-text';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isolated, isolatedPlain } from '../../../shared/sql-text/isolated-text.tsx';
import { ApprovalStateBadge } from './approval-state.tsx';
import styles from './approvals.module.css';
import { TakeBack } from './take-back.tsx';

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
