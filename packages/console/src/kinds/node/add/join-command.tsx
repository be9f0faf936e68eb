/** The command to run on the machine, how long it works, and the ways without it. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { useEffect, useRef } from 'react';
import { useTime } from '../../../platform/browser/use-time.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../../../shared/enrolment/joining.module.css';

export type JoinMethod = 'agent' | 'openssh';

export interface MadeToken {
  secret: string;
  expires: string;
  command: string;
  openSshCommand: string;
  /** Why other machines cannot use it as things stand. */
  warning: string | undefined;
  labels: Readonly<Record<string, string>>;
  /** What joins with it carries this; empty where the gateway did not say. */
  resourceId: string;
}

interface JoinCommandProps {
  way: JoinMethod;
  token: MadeToken;
  onAgain: () => void;
}

const LOOK_EVERY_MS = 10_000;

export function JoinCommand({ way, token, onAgain }: JoinCommandProps) {
  const t = useTranslate();
  const time = useTime(LOOK_EVERY_MS);
  const expires = Date.parse(token.expires);
  const place = useRef<HTMLDivElement>(null);
  // The button that made it is gone; the next thing anybody does is to copy.
  useEffect(() => place.current?.querySelector('button')?.focus(), []);
  const again = <TextButton onClick={onAgain}>{t('add-server.again')}</TextButton>;
  if (time > expires) {
    return (
      <Notice tone="warn" title={t('add-server.expired')}>
        {again}
      </Notice>
    );
  }
  return (
    <div ref={place} className={styles.stack}>
      <CodeBlock wrap label={t('add-server.command')} code={way === 'agent' ? token.command : token.openSshCommand} />
      <p className={styles.lead} title={formatDateTime(token.expires)}>
        {t('add-server.works', { when: formatRelative(expires, time) })} {again}
      </p>
      <details className={styles.manual}>
        <summary>{t('add-server.manual')}</summary>
        <div className={styles.stack}>
          <p className={styles.lead}>{t(`add-server.manual-${way}`)}</p>
          <CodeBlock wrap label={t('add-server.manual')} code={manualCommand(way, token)} />
        </div>
      </details>
    </div>
  );
}

/** What the script does at its end, for those who would rather do it themselves. */
function manualCommand(way: JoinMethod, { secret, labels }: MadeToken): string {
  if (way === 'agent') {
    const { origin } = window.location;
    // In the environment, because other users of the machine can read the arguments of a program.
    return `GATEHOUSE_AGENT_TOKEN=${secret} gatehouse agent --gateway ${origin} --data-dir /var/lib/gatehouse-agent`;
  }
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `gatehouse nodes add NAME HOST:22${pairs.length > 0 ? ` --labels '${pairs.join(',').replaceAll("'", "'\\''")}'` : ''}`;
}
