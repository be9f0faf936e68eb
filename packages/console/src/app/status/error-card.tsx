/** The card of a failure: the error's message, the id to quote where there is one, and another try. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { Button } from '@gatehouse/design/button';
import { StatusCard } from '@gatehouse/design/status-card';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { isUnreadable } from '../../platform/api/failures.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import styles from './status-page.module.css';

interface ErrorCardProps {
  error: unknown;
  onRetry?: () => void;
}

export function ErrorCard({ error, onRetry }: ErrorCardProps) {
  const t = useTranslate();
  const requestId = requestIdOf(error);
  return (
    <StatusCard
      tone="bad"
      title={t('common.internal-error-title')}
      actions={
        onRetry && (
          <Button icon={RotateCw} onClick={onRetry}>
            {t('common.try-again')}
          </Button>
        )
      }
    >
      <p>{messageOf(t, error)}</p>
      {requestId && <p className={styles.quote}>{t('common.error-id', { id: requestId })}</p>}
    </StatusCard>
  );
}

function messageOf(t: Translate, error: unknown): string {
  if (isUnreadable(error)) return t('common.unreadable-answer');
  return errorMessage(error);
}

/** Asked by shape: the class of failed calls would bring the contract's schemas into every page. */
function requestIdOf(error: unknown): string | undefined {
  const id = typeof error === 'object' && error !== null && 'requestId' in error ? error.requestId : undefined;
  return typeof id === 'string' ? id : undefined;
}
