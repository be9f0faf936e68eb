/** The command to run on a machine near the application, how long it works, and the way without the script. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { useEffect, useRef } from 'react';
import { useTime } from '../../../platform/browser/use-time.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../../../shared/enrolment/joining.module.css';

export interface AppToken {
  name: string;
  uri: string;
  labels: Readonly<Record<string, string>>;
  expires: string;
  command: string;
  /** Why other machines cannot use it as things stand. */
  warning: string | undefined;
  /** What joins with it carries this; empty where the gateway did not say. */
  resourceId: string;
}

const LOOK_EVERY_MS = 10_000;

export function AppCommand({ token, onAgain }: { token: AppToken; onAgain: () => void }) {
  const t = useTranslate();
  const time = useTime(LOOK_EVERY_MS);
  const expires = Date.parse(token.expires);
  const place = useRef<HTMLDivElement>(null);
  // The button that made it is gone; the next thing anybody does is to copy.
  useEffect(() => place.current?.querySelector('button')?.focus(), []);
  const again = <TextButton onClick={onAgain}>{t('add-app.again')}</TextButton>;
  if (time > expires) {
    return (
      <Notice tone="warn" title={t('add-app.expired')}>
        {again}
      </Notice>
    );
  }
  return (
    <div ref={place} className={styles.stack}>
      <CodeBlock wrap label={t('add-app.command')} code={token.command} />
      <p className={styles.lead} title={formatDateTime(token.expires)}>
        {t('add-app.works', { when: formatRelative(expires, time) })} {again}
      </p>
    </div>
  );
}
