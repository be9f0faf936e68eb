/** Takes back what was approved and not run yet. */
import { dbApprovalRoutes, type StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { APPROVALS_KEY } from './approval-queries.ts';

export function TakeBack({ clusterId, item: { id, user, database } }: { clusterId: string; item: StatementApproval }) {
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
