/** Leads whoever decides to what waits for them, with how much that is. */
import { Button } from '@gatehouse/design/button';
import { useQuery } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { othersApprovals } from './approval-queries.ts';

export function ApprovalsButton({ clusterId, onOpen }: { clusterId: string; onOpen: () => void }) {
  const t = useTranslate();
  const { data } = useQuery(othersApprovals(useApi(), clusterId));
  const count = data?.filter(({ mayDecide }) => mayDecide).length ?? 0;
  return (
    <Button icon={ShieldCheck} onClick={onOpen}>
      {count === 0 ? t('databases.approvals') : t('databases.approvals-wait', { count })}
    </Button>
  );
}
