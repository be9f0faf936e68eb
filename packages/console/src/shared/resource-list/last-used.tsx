/** Who used something last, and when, as lists say it. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import styles from './last-used.module.css';

interface LastUsedProps {
  /** `as`: who they were there. */
  used: { at: string; user: string; as: string } | undefined;
}

export function LastUsed({ used }: LastUsedProps) {
  const t = useTranslate();
  const { userName } = useUser();
  const { now } = useBrowser();
  if (!used) return <span className={styles.faint}>{t('resource-list.used-never')}</span>;
  const at = Date.parse(used.at);
  const when = formatRelative(at, Math.max(now(), at));
  const who = used.user === userName ? t('resource-list.used-you') : t('resource-list.used-by', { user: used.user });
  return (
    <span title={t('resource-list.used-title', { as: used.as, time: formatDateTime(used.at) })}>
      {when} <span className={styles.faint}>{who}</span>
    </span>
  );
}
