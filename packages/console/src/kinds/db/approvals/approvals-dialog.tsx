/** What others asked to run: what waits for an answer, and below it what became of the rest. */
import type { StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { Dialog } from '@gatehouse/design/dialog';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { useQuery } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useRef } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { othersApprovals } from './approval-queries.ts';
import styles from './approvals.module.css';
import { SettledRequest } from './settled-request.tsx';
import { WaitingRequest } from './waiting-request.tsx';

export function ApprovalsDialog({ clusterId, onClose }: { clusterId: string; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const { data, error } = useQuery(othersApprovals(api, clusterId));
  const waiting = useInPlace(data ?? []);
  const stays = new Set(waiting.map(({ id }) => id));
  const rest = data?.filter(({ id }) => !stays.has(id)) ?? [];
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
                <SettledRequest key={item.id} clusterId={clusterId} item={item} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}

/**
 * What waited stays where it was for as long as this is open, whoever answered it: would the next one move up, a second click, or one a
 * moment after somebody withdrew theirs, would approve what nobody has read.
 */
function useInPlace(items: readonly StatementApproval[]): StatementApproval[] {
  const places = useRef(new Map<string, StatementApproval>());
  for (const item of items)
    if (item.state === 'PENDING' || places.current.has(item.id)) places.current.set(item.id, item);
  return [...places.current.values()];
}
