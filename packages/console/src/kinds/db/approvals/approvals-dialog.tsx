/** What others asked to run: what waits for an answer, and below it what became of the rest. */
import type { StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { queryText } from '@gatehouse/contract/std/visible-text';
import { Dialog } from '@gatehouse/design/dialog';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { useQuery } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { othersApprovals } from './approval-queries.ts';
import { ApprovalStateBadge } from './approval-state.tsx';
import styles from './approvals.module.css';
import { WaitingRequest } from './waiting-request.tsx';

export function ApprovalsDialog({ clusterId, onClose }: { clusterId: string; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const { data, error } = useQuery(othersApprovals(api, clusterId));
  const waiting = data?.filter(({ state }) => state === 'PENDING') ?? [];
  const rest = data?.filter(({ state }) => state !== 'PENDING') ?? [];
  return (
    <Dialog open onOpenChange={onClose} size="large" title={t('db-approvals.title')}>
      <div className={styles.all}>
        {error && <Notice tone="bad">{failureWords(t, error)}</Notice>}
        {data && waiting.length === 0 && (
          <EmptyState icon={ShieldCheck} level={3} title={t('db-approvals.none')}>
            {t('db-approvals.none-text')}
          </EmptyState>
        )}
        {waiting.map((item, index) => (
          <WaitingRequest key={item.id} clusterId={clusterId} item={item} number={index + 1} />
        ))}
        {rest.length > 0 && (
          <section className={styles.rest} aria-label={t('db-approvals.before')}>
            <h3>{t('db-approvals.before')}</h3>
            <ul>
              {rest.map((item) => (
                <Settled key={item.id} item={item} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}

function Settled({ item: { user, database, sql, state, created, decidedBy, note } }: { item: StatementApproval }) {
  const t = useTranslate();
  const { now } = useBrowser();
  return (
    <li className={styles.settled}>
      <span className={styles.line}>
        <ApprovalStateBadge state={state} />
        <span>{t('db-approvals.wanted', { user, database })}</span>
      </span>
      <code title={sql.slice(0, 1_000)}>{queryText(sql)}</code>
      <span className={styles.facts}>
        <time dateTime={created}>{formatRelative(Date.parse(created), now())}</time>
        {decidedBy !== '' && <span>{t('db-approvals.by', { user: decidedBy })}</span>}
        {note !== '' && <span>{note}</span>}
      </span>
    </li>
  );
}
