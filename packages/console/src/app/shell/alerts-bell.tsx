/** The bell: what an administrator wants everybody to know, and the way to put it away. */

import type { Alert } from '@gatehouse/contract/console/clusters';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Popover } from '@gatehouse/design/popover';
import { TextLink } from '@gatehouse/design/text-link';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Bell from 'lucide-react/icons/bell';
import Info from 'lucide-react/icons/info';
import OctagonAlert from 'lucide-react/icons/octagon-alert';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import X from 'lucide-react/icons/x';
import { useTranslate } from '../../platform/i18n/words.ts';
import { capture } from '../../platform/telemetry/usage.ts';
import { alertLink, alertTone, useAlerts } from './alerts.ts';
import styles from './alerts-bell.module.css';
import { useClusterId } from './use-cluster-id.ts';

export function AlertsBell() {
  const t = useTranslate();
  const { alerts, dismiss, isFailed } = useAlerts(useClusterId());
  const label = t('shell.alerts', { count: alerts.length });
  return (
    <Popover
      label={t('shell.alerts-title')}
      className={styles.popover}
      trigger={<IconButton icon={Bell} label={label} count={alerts.length} tipSide="bottom" className={styles.bell} />}
    >
      <h2 className={styles.heading}>{t('shell.alerts-title')}</h2>
      {alerts.length === 0 && (
        <p className={styles.none}>{t(isFailed ? 'shell.alerts-failed' : 'shell.alerts-none')}</p>
      )}
      <ul>
        {alerts.map((alert) => (
          <AlertRow key={alert.metadata.name} alert={alert} onDismiss={() => dismiss(alert.metadata.name)} />
        ))}
      </ul>
    </Popover>
  );
}

const TONES = {
  info: { icon: Info, word: 'shell.alert-info' },
  warn: { icon: TriangleAlert, word: 'shell.alert-warning' },
  bad: { icon: OctagonAlert, word: 'shell.alert-danger' },
} as const;

function AlertRow({ alert, onDismiss }: { alert: Alert; onDismiss: () => void }) {
  const t = useTranslate();
  const tone = alertTone(alert);
  const link = alertLink(alert);
  const { message, created } = alert.spec;
  return (
    <li className={styles.alert}>
      <span className={styles[tone]}>
        <Icon of={TONES[tone].icon} label={t(TONES[tone].word)} />
      </span>
      <div className={styles.text}>
        <p>{message}</p>
        <p className={styles.meta}>
          <time dateTime={created}>{formatDateTime(created)}</time>
          {link && (
            <TextLink
              href={link}
              target="_blank"
              rel="noreferrer noopener"
              onClick={() => capture({ event: 'tp.ui.banner.click', alert: alert.metadata.name })}
            >
              {t('shell.alert-link')}
              <VisuallyHidden>{message}</VisuallyHidden>
            </TextLink>
          )}
        </p>
      </div>
      <IconButton icon={X} size="small" label={t('shell.alert-dismiss', { message })} onClick={onDismiss} />
    </li>
  );
}
