/** How a program reaches an application that speaks TCP: one command, and where it then listens. */
import type { App } from '@gatehouse/contract/kinds/app/apps';
import { CopyField } from '@gatehouse/design/copy-field';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../apps.module.css';
import { proxyCommand } from './launch-path.ts';

export function TcpHelp({ app }: { app: App }) {
  const t = useTranslate();
  return (
    <div className={styles.help}>
      <p>{t('apps.tcp-text', { app: app.name })}</p>
      <CopyField label={t('apps.tcp-sign-in')} value={`gatehouse login ${window.location.origin}`} />
      <CopyField label={t('apps.tcp-run')} value={proxyCommand(app.name)} />
      <p className={styles.lead}>{t('apps.tcp-then')}</p>
    </div>
  );
}
