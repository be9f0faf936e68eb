/** The card for what the user's roles do not allow. */
import { StatusCard } from '@gatehouse/design/status-card';
import Lock from 'lucide-react/icons/lock';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';

interface AccessDeniedProps {
  /** What was refused and what to do about it. */
  message: string;
  actions?: ReactNode;
  /** What was missing, and what to quote. */
  children?: ReactNode;
}

export function AccessDenied({ message, actions, children }: AccessDeniedProps) {
  const t = useTranslate();
  return (
    <StatusCard tone="bad" icon={Lock} title={t('common.access-denied-title')} actions={actions}>
      <p>{message}</p>
      {children}
    </StatusCard>
  );
}
