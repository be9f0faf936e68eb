/** When what is on the screen was true, and a way to ask again. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { IconButton } from '@gatehouse/design/icon-button';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './freshness.module.css';

const LOOK_EVERY_MS = 5_000;

interface FreshnessProps {
  updatedAt: number;
  isFetching: boolean;
  onRefresh: () => void;
}

export function Freshness({ updatedAt, isFetching, onRefresh }: FreshnessProps) {
  const t = useTranslate();
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [now]);
  return (
    <span className={styles.freshness} data-busy={isFetching || undefined}>
      {updatedAt > 0 && (
        <span title={formatDateTime(new Date(updatedAt).toISOString())}>
          {t('resource-list.updated', { when: formatRelative(updatedAt, Math.max(time, updatedAt)) })}
        </span>
      )}
      <IconButton icon={RefreshCw} size="small" label={t('resource-list.refresh')} onClick={onRefresh} />
    </span>
  );
}
