/** The command to run on the machine that shall join, how long it works, and the ways without it. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTime } from '../../platform/browser/use-time.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { JoinWords } from './join-words.ts';
import styles from './joining.module.css';
import { LOOK_EVERY_MS, TimeLeft } from './time-left.tsx';

interface JoinCommandProps {
  words: JoinWords;
  command: string;
  expires: string;
  onAgain: () => void;
  /** The ways without it. */
  children?: ReactNode;
}

export function JoinCommand({ words, command, expires, onAgain, children }: JoinCommandProps) {
  const t = useTranslate();
  const time = useTime(LOOK_EVERY_MS);
  const end = Date.parse(expires);
  const place = useRef<HTMLDivElement>(null);
  // The button that made it is gone; the next thing anybody does is to copy.
  useEffect(() => place.current?.querySelector('button')?.focus(), []);
  const again = <TextButton onClick={onAgain}>{t('joining.again')}</TextButton>;
  if (time > end) {
    return (
      <Notice tone="warn" title={t('joining.expired')}>
        {again}
      </Notice>
    );
  }
  return (
    <div ref={place} className={styles.stack}>
      <CodeBlock wrap label={t(`${words}.command`)} code={command} />
      <p className={styles.lead} title={formatDateTime(expires)}>
        <TimeLeft ms={end - time} /> · {t(`${words}.works`)} {again}
      </p>
      {children}
    </div>
  );
}
