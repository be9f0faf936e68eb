/** Where a request stands, in a word. */
import type { ApprovalState } from '@gatehouse/contract/kinds/db/db-approvals';
import { Badge, type BadgeProps } from '@gatehouse/design/badge';
import { useTranslate } from '../../../platform/i18n/words.ts';

const TONES: Readonly<Record<ApprovalState, NonNullable<BadgeProps['tone']>>> = {
  PENDING: 'warn',
  APPROVED: 'ok',
  DENIED: 'bad',
  WITHDRAWN: 'neutral',
  EXPIRED: 'neutral',
  USED: 'neutral',
};

export function ApprovalStateBadge({ state }: { state: ApprovalState }) {
  const t = useTranslate();
  return <Badge tone={TONES[state]}>{t(`db-approvals.state-${state}`)}</Badge>;
}
